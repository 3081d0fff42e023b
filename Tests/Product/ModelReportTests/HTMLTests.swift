import Testing

@testable import ModelReport

@Suite struct HTMLTests {
  @Test("Interpolated text is escaped, and markup is not")
  func interpolation() {
    let name = "<b a='\"'>&amp;"
    let inner: HTML = "<i>\(name)</i>"
    let text = "&lt;b a=&#39;&quot;&#39;&gt;&amp;amp;"
    #expect(inner.text == "<i>\(text)</i>")
    let outer: HTML = "<p title=\"\(name)\">\(inner)\([inner, inner]) \(12) \(1.25) \(-0.3)</p>"
    #expect(
      outer.text
        == "<p title=\"\(text)\"><i>\(text)</i><i>\(text)</i><i>\(text)</i> 12 1.3 -0.3</p>")
  }

  @Test("Control characters and those that turn the direction of writing become visible")
  func controls() {
    #expect(
      HTML(escaping: "a\u{0}b\u{1B}c\u{202E}d\u{85}e\u{FFFF}\n\tf").text.unicodeScalars.count {
        $0 == "\u{FFFD}"
      } == 5)
    #expect(HTML(escaping: "Straße 図 🧭").text == "Straße 図 🧭")
  }

  @Test("A long text is cut off")
  func limit() {
    #expect(
      HTML(escaping: String(repeating: "&", count: 100), limit: 3).text == "&amp;&amp;&amp;\u{2026}"
    )
    #expect(HTML(escaping: "abc", limit: 3).text == "abc")
  }
}
