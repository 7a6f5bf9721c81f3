/// Building blocks of views: each field has a label, and each error belongs to an element.
struct Parts {
  /// A token in every form, so that no other page can submit one.
  let formToken: String

  /// A field of a form.
  struct Field {
    var label: String
    var name: String
    var type = "text"
    /// The field's meaning for browsers and password managers (HTML, section 4.10.18.7).
    var completion: String
    var value = ""
    var isRequired = true
    /// The error of the typed value.
    var error: String?
    var hint: String?
  }

  /// A form with a button; the focus is on the first wrong field, or else on the first empty one.
  func form(_ action: String, _ fields: [Field], _ button: String, hidden: HTML = "") -> HTML {
    let first =
      fields.firstIndex { $0.error != nil } ?? fields.firstIndex { $0.value.isEmpty } ?? 0
    let shown = fields.enumerated().reduce("" as HTML) { html, next in
      html + field(next.element, hasFocus: next.offset == first)
    }
    return """
      <form method="post" action="\(action)" novalidate>
      <input type="hidden" name="form" value="\(formToken)">\(hidden)
      \(shown)
      <button class="main">\(button)</button>
      </form>
      """
  }

  /// A button with its own form.
  func button(_ action: String, _ text: String, _ kind: String = "", hidden: HTML = "") -> HTML {
    """
    <form method="post" action="\(action)">
    <input type="hidden" name="form" value="\(formToken)">\(hidden)
    <button class="\(kind)">\(text)</button>
    </form>
    """
  }

  /// The notice, if there is one.
  func said(_ notice: Notice?) -> HTML {
    switch notice {
    case nil: ""
    case .status(let text): "<p class=\"notice\" role=\"status\">\(text)</p>"
    case .alert(let text): "<p class=\"notice alert\" role=\"alert\" id=\"alert\">\(text)</p>"
    }
  }

  /// A list of names and values.
  func facts(_ facts: [(name: String, value: HTML)]) -> HTML {
    let rows = facts.reduce("" as HTML) { html, fact in
      html + "<div><dt>\(fact.name)</dt><dd>\(fact.value)</dd></div>\n"
    }
    return "<dl>\n\(rows)</dl>"
  }

  private func field(_ field: Field, hasFocus: Bool) -> HTML {
    var described: [String] = []
    var about: HTML = ""
    if let hint = field.hint {
      about = about + "<p class=\"hint\" id=\"\(field.name)-hint\">\(hint)</p>"
      described.append(field.name + "-hint")
    }
    var wrong: HTML = ""
    if let error = field.error {
      wrong = """
        <p class="wrong" id="\(field.name)-error" role="alert">\(Icons.wrong)\
        <span>\(error)</span></p>
        """
      described.append(field.name + "-error")
    }
    var attributes: HTML = ""
    if !described.isEmpty {
      attributes = attributes + " aria-describedby=\"\(described.joined(separator: " "))\""
    }
    if field.error != nil { attributes = attributes + " aria-invalid=\"true\"" }
    if field.isRequired { attributes = attributes + " required" }
    if hasFocus { attributes = attributes + " autofocus" }
    if !field.value.isEmpty { attributes = attributes + " value=\"\(field.value)\"" }
    return """
      <div class="field">
      <label for="\(field.name)">\(field.label)</label>
      \(about)<input id="\(field.name)" name="\(field.name)" type="\(field.type)" \
      autocomplete="\(field.completion)" maxlength="1024"\(attributes)>
      \(wrong)</div>
      """
  }
}

/// A notice that is shown once, on the next page.
enum Notice: Hashable {
  /// It succeeded, or had no effect.
  case status(String)
  /// It failed.
  case alert(String)
}
