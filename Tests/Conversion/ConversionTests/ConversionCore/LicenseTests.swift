import ConversionCore
import GraphIR
import Testing

@Suite struct LicenseTests {
  @Test(
    "An SPDX expression is recognized",
    arguments: [
      "MIT", "Apache-2.0", "BSD-3-Clause", "GPL-2.0+", "GPL-2.0-or-later", "MIT OR Apache-2.0",
      "GPL-2.0-only WITH Classpath-exception-2.0", "LicenseRef-mine",
      "(MIT OR BSD-2-Clause) AND Apache-2.0", "((MIT))", "MIT AND (ISC OR Zlib)", "eCos-2.0",
    ])
  func expression(_ text: String) {
    let license = License(parsing: text)
    #expect(license == License(text: text, spdxExpression: text, note: nil))
  }

  @Test(
    "A text that is not an SPDX expression is kept as given, with a note",
    arguments: [
      "BSD", "BSD-2", "GPL", "2.0", "Apache 2.0", "", " ", "MIT OR", "OR MIT", "(MIT", "MIT)",
      "MIT Apache-2.0",
      "MIT WITH", "MIT WITH MIT", "do what you want", "MIT AND OR ISC", "()",
      String(repeating: "(", count: 100_000), String(repeating: "MIT AND ", count: 10_000),
    ])
  func notAnExpression(_ text: String) {
    let license = License(parsing: text)
    #expect(license.text == text)
    #expect(license.spdxExpression == nil)
    #expect(license.note?.hasPrefix("not an SPDX license expression") == true)
  }

  @Test("For the name of a license family, the note lists its licenses")
  func family() {
    let note = License(parsing: "BSD").note ?? ""
    #expect(note.contains("SPDX knows BSD-"))
    #expect(License(parsing: "nonsense").note == "not an SPDX license expression")
  }
}
