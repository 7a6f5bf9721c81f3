/// What views are put together from: each field has a label, and each error belongs to something.
struct Parts {
  /// Goes with every form, so that no other page can send one.
  let formToken: String

  /// A field of a form.
  struct Field {
    var label: String
    var name: String
    var type = "text"
    /// What the browser and password programs know it by (HTML, section 4.10.18.7).
    var completion: String
    var value = ""
    var isRequired = true
    /// What is wrong with what was typed.
    var error: String?
    var hint: String?
  }

  /// Fields with a button; the first that is wrong has the focus, or the first that is empty.
  func form(_ place: String, _ fields: [Field], _ button: String, hidden: HTML = "") -> HTML {
    let first =
      fields.firstIndex { $0.error != nil } ?? fields.firstIndex { $0.value.isEmpty } ?? 0
    let shown = fields.enumerated().reduce("" as HTML) { html, next in
      html + field(next.element, hasFocus: next.offset == first)
    }
    return """
      <form method="post" action="\(place)" novalidate>
      <input type="hidden" name="form" value="\(formToken)">\(hidden)
      \(shown)
      <button class="main">\(button)</button>
      </form>
      """
  }

  /// A button that does something by itself.
  func button(
    _ place: String,
    _ text: String,
    _ kind: String = "",
    hidden: HTML = ""
  ) -> HTML {
    """
    <form method="post" action="\(place)">
    <input type="hidden" name="form" value="\(formToken)">\(hidden)
    <button class="\(kind)">\(text)</button>
    </form>
    """
  }

  /// What happened, where something did.
  func said(_ notice: Notice?) -> HTML {
    switch notice {
    case nil: ""
    case .status(let text): "<p class=\"notice\" role=\"status\">\(text)</p>"
    case .alert(let text): "<p class=\"notice alert\" role=\"alert\" id=\"alert\">\(text)</p>"
    }
  }

  /// Names and values.
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

/// Something that is said once, on the page after it happened.
enum Notice: Hashable {
  /// It went well, or nothing came of it.
  case status(String)
  /// It did not work.
  case alert(String)
}
