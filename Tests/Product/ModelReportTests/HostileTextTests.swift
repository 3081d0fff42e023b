import Bytes
import Foundation
import JSON
import ModelReport
import TestSupport
import Testing
import Vision
import Weighbridge

/// Models whose names and descriptions contain markup and other attacks.
@Suite struct HostileTextTests {
  private static let attacks = [
    "</title></style></script><script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
    "<svg><script>alert(1)</script></svg>",
    "javascript:alert(1)", "]]><b>", "--><b>", "&lt;b&gt;&#60;b&#62;", "\\(1) ${1} {{1}}",
    "\u{202E}txet\u{0}\u{7}\u{1B}[31m",
  ]

  /// A page with the attack in every text.
  private func page(_ attack: String) throws -> Page {
    let folder = try TemporaryFolder()
    let quoted = JSONValue.string(attack).text(indented: false)
    let architecture = ChainArchitecture.json(layers: 6)
      .replacingOccurrences(of: "\"layer2\"", with: quoted)
    try Files.write(architecture.utf8, to: folder.file("a.json"))
    var options = ReadOptions()
    options.architecture = folder.file("a.json")
    var model = try Model(
      contentsOf: Paths.sample("Hostile/keras/weights_only.h5"), options: options)
    var edit = DescriptionEdit()
    let fit = String(attack.unicodeScalars.filter { $0 != "\u{0}" })
    (edit.author, edit.license, edit.summary, edit.version) = (fit, fit, fit, fit)
    edit.inputNames = [.init(old: nil, new: fit)]
    edit.outputNames = [.init(old: nil, new: fit)]
    edit.labels = [fit, fit + "2"]
    edit.userDefined = [fit: fit]
    try model.describe(edit)
    return try Page([
      ReportedModel(model, path: "\(fit).wbm"), ReportedModel(contentsOf: Sample.detector),
    ])
  }

  @Test("No text of a model becomes an element, an attribute or a script", arguments: attacks)
  func escaping(attack: String) throws {
    let page = try page(attack)
    let harmless = try Page([
      ReportedModel(contentsOf: Sample.detector), ReportedModel(contentsOf: Sample.detector),
    ]) { ($0.noVerify, $0.noProfile) = (true, true) }
    // Labels are a separate list, and text that looks like an option is marked as code.
    let elements = try harmless.names("//*").union(["ol", "strong", "details", "summary", "code"])
    #expect(try page.names("//*").subtracting(elements) == [])
    #expect(try page.names("//@*").filter { $0.hasPrefix("on") } == [])
    #expect(try page.nodes("//script").count == 1)
    #expect(try page.texts("//script") == harmless.texts("//script"))
    #expect(try page.texts("//style") == harmless.texts("//style"))
    for target in try page.texts("//@href") { #expect(target.hasPrefix("#")) }
    #expect(try page.nodes("//@src").isEmpty)
    let visible = String(
      attack.unicodeScalars.map { Character($0.value < 0x20 || $0 == "\u{202E}" ? "\u{FFFD}" : $0) }
    )
    #expect(
      try page.rows("layers").contains { $0[1].contains(visible.prefix(20)) },
      "the name is not there as text")
  }

  @Test("Long texts are cut off")
  func long() throws {
    var model = try Model(contentsOf: Sample.detector)
    var edit = DescriptionEdit()
    edit.summary = String(repeating: "long <b> ", count: 500_000)
    edit.author = edit.summary
    try model.describe(edit)
    let page = try Page([ReportedModel(model, path: "long.wbm")]) {
      ($0.noVerify, $0.noProfile) = (true, true)
    }
    #expect(page.text.utf8.count < 200_000)
  }

  @Test("Scripts and styles other than the page's own are forbidden by the page itself")
  func policy() throws {
    let page = try Page([ReportedModel(contentsOf: Sample.detector)]) {
      ($0.noVerify, $0.noProfile) = (true, true)
    }
    let policies = try page.texts("//meta[@http-equiv='Content-Security-Policy']/@content")
    try #require(policies.count == 1)
    #expect(policies[0].hasPrefix("default-src 'none'; img-src data:; style-src 'sha256-"))
    #expect(!policies[0].contains("unsafe"))
    #expect(try page.nodes("//@style").isEmpty)
  }
}
