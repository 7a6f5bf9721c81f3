"""The keyboard focus of the desktop app. windows.py uses it."""


class Focus:
    """The control with the focus."""

    # The control that had it last.
    last = None

    def focused(self):
        """The name of the node with the focus."""
        return self.until(lambda: self.focus()[0], "no focus")

    def focus(self):
        """The properties that identify the node with the focus, its name first; an entry row does
        not report its focus."""
        focused = self.atspi.StateType.FOCUSED

        def found():
            for node in self.candidates():
                if node.get_state_set().contains(focused):
                    self.last = node
                    return [node.get_name(), node.get_role_name()] + self.extents(node)
            return [""]
        return self.steadily(found)

    def candidates(self):
        """All nodes: of one window, first those near the control that had the focus last. Of several windows,
        each may have a control with the focus."""
        last, self.last = self.last, None
        window = next(self.nodes(), None)
        application = window and window.get_parent()
        is_only = application and application.get_child_count() == 1
        return self.around(last) if last and is_only else self.nodes()

    def around(self, node):
        """A node and all others, those near it first."""
        yield node
        yield from self.walk(node)
        while node.get_role_name() != "application":
            parent = node.get_parent()
            if parent is None:
                return  # The node was removed.
            for index in range(parent.get_child_count()):
                child = parent.get_child_at_index(index)
                if child is not None and child != node:
                    yield child
                    yield from self.walk(child)
            yield parent
            node = parent

    def unspoken(self):
        """The texts of rows with the focus that a screen reader speaks neither as name nor as description."""
        def found():
            texts = []
            for row in self.shown():
                states = row.get_state_set()
                if row.get_role_name() not in ("list item", "combo box") or not states.contains(
                        self.atspi.StateType.FOCUSABLE):
                    continue
                spoken = "%s, %s" % (row.get_name(), row.get_description() or "")
                texts += [part.get_name() for part in self.walk(row) if part.get_role_name() == "label"
                          and part.get_parent().get_role_name() != "push button"
                          and not all(line in spoken for line in part.get_name().split("\n"))]
            return texts
        return self.steadily(found)

    def is_marked(self, name):
        """Whether a row is the chosen one of its list."""
        return self.find("list item", name).get_state_set().contains(self.atspi.StateType.SELECTED)

    def tab_to(self, name, most=40):
        """Moves the focus by the keyboard to a control with this text in its name."""
        for _ in range(most):
            before = self.focus()
            if name in before[0]:
                return before[0]
            self.key("Tab")
            self.until(lambda: self.focus() != before, "the focus stays on " + before[0])
        raise TimeoutError("the keyboard does not reach " + name)


