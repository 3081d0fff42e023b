import Bytes
import Foundation
import GraphIR
import ModelReport
import Synchronization
import TestSupport
import Testing
import Vision
import Weighbridge

/// The contents of a page, read from its elements.
@Suite struct ReportTests {
  /// The page of the described detector, with its image.
  private static let text = Result {
    let folder = try TemporaryFolder()
    try Sample.described().write(to: folder.file("shapes.wbm"))
    let image = try Image(contentsOf: Sample.file("picture.png"))
    return try Page([ReportedModel(contentsOf: folder.file("shapes.wbm"))]) {
      $0.image = .init(name: "picture.png", image: image)
      $0.verify = true
    }.text
  }

  private func page() throws -> Page { try Page(Self.text.get()) }

  @Test(
    "The first screen answers what the model takes, gives, where it came from, and whether to trust it"
  )
  func answers() throws {
    let page = try page()
    #expect(try page.texts("//h1") == ["shapes.wbm"])
    #expect(
      try page.texts("//header//h2")
        == ["Takes", "Gives", "Comes from", "Can it be trusted?"])
    let cards = try page.texts("//header//div[@class='card']")
    try #require(cards.count == 4)
    #expect(cards[0].contains("picture float32 [batch, 88, 88, 3]"))
    #expect(cards[0].contains("A picture of 88 \u{D7} 88 pixels, in color (rgb)"))
    #expect(cards[1].contains("conv2d_7 float32 [batch, 11, 11, 24]"))
    #expect(cards[1].contains("Finds objects of 3 classes."))
    #expect(cards[1].contains("3 labels: ellipse, rectangle, triangle"))
    #expect(cards[2].contains("keras 2.1.5 on tensorflow") && cards[2].contains("Apache-2.0"))
    #expect(cards[3].contains("Verified"))
    #expect(
      cards[3].contains(
        "It computes what keras 2.1.5 computed, as the file records it, with differences of "))
  }

  @Test("Every section of the list is there, with a heading that names it")
  func sections() throws {
    let page = try page()
    let links = try page.texts("//nav//a")
    #expect(
      links == [
        "Description", "Inputs and outputs", "A sample image", "Graph", "Layers", "Weights",
        "Origin and decisions", "Verification", "Profile of a run",
      ])
    #expect(try page.texts("//main/section/h2") == links)
    for target in try page.texts("//a/@href") {
      try #require(target.hasPrefix("#"), "a link leads out of the page: \(target)")
      #expect(try page.nodes("//*[@id='\(target.dropFirst())']").count == 1, "\(target)")
    }
    #expect(try page.nodes("//table").count == page.nodes("//table/caption").count)
    #expect(try page.nodes("//tbody/tr").count == page.nodes("//tbody/tr/th[@scope='row']").count)
  }

  @Test("Layers, weights and their sizes are those of the model")
  func layers() throws {
    let page = try page()
    let layers = try page.rows("layers")
    try #require(layers.count == 23)
    #expect(
      layers[0]
        == ["0", "conv2d_1", "Conv2D", "convolution", "[batch, 88, 88, 8]", "216"])
    #expect(
      try page.rows("weights") == [
        ["plain", "32", "78,304", "313,216", "32", "100.0%", ""]
      ])
    let weights = try page.rows("weights", table: 2)
    try #require(weights.count == 32)
    #expect(weights[0].prefix(4) == ["conv2d_1/kernel", "float32 [8, 3, 3, 3]", "plain", "864"])
    #expect(try page.nodes("//section[@id='weights']//svg[@role='img']").count == 32)
    let sources = try page.rows("origin")
    try #require(sources.count == 1)
    #expect(sources[0].prefix(3) == ["shape-detector.h5", "model", "381,848"])
    #expect(sources[0][3].wholeMatch(of: /[0-9a-f]{64}/) != nil)
  }

  @Test("Verification shows each check, and each layer with its worst element")
  func verification() throws {
    let page = try page()
    let checks = try page.rows("verification")
    #expect(
      checks.map { $0[0] } == ["container", "shapes", "weights", "layers", "references", "engines"])
    #expect(checks.map { $0[1] }.allSatisfy { $0 == "passed" })
    let layers = try page.rows("verification", table: 2)
    try #require(layers.count == 22)
    #expect(layers.allSatisfy { $0[1] == "passed" && $0[5].hasPrefix("[0, ") })
    #expect(layers.last?[0] == "#21 leaky_re_lu_6 (LeakyReLU)")
  }

  @Test("Unless the engines are compared, only the fast one runs, at most three times")
  func bounded() throws {
    let folder = try TemporaryFolder()
    try Sample.described().write(to: folder.file("shapes.wbm"))
    let model = try ReportedModel(contentsOf: folder.file("shapes.wbm"))
    let layers = Mutex([RunProgress]())
    let page = try Page([model]) {
      $0.verification.run.progress = { progress in layers.withLock { $0.append(progress) } }
    }
    let reported = layers.withLock { $0 }
    #expect(Set(reported.map(\.engine)) == ["cpu"])
    #expect(reported.count { $0.number == 1 } == 3)
    let engines = try #require(page.rows("verification").last)
    #expect(engines[0] == "engines" && engines[1] == "skipped")
    #expect(engines.joined().contains("\(APIName.comparingEngines)"))
    layers.withLock { $0 = [] }
    _ = try Page([model]) {
      $0.verify = true
      $0.verification.run.progress = { progress in layers.withLock { $0.append(progress) } }
    }
    #expect(layers.withLock { Set($0.map(\.engine)) } == ["cpu", "reference"])
  }

  @Test("The profile lists the steps of a run, whose shares make up the whole")
  func profile() throws {
    let rows = try page().rows("profile")
    #expect(rows.count == 11)
    let percentages = rows.compactMap { Double($0[4].dropLast()) }
    #expect(percentages.count == 11 && abs(percentages.reduce(0, +) - 100) < 1)
  }

  @Test("Objects found in a picture are drawn on it, listed, and described in words")
  func picture() throws {
    let page = try page()
    let rows = try page.rows("picture")
    #expect(rows.map { $0[0] } == ["ellipse", "ellipse", "triangle", "rectangle"])
    #expect(rows.allSatisfy { $0.count == 6 })
    let pictures = try page.texts("//img/@src")
    #expect(pictures.count == 1 && pictures[0].hasPrefix("data:image/jpeg;base64,"))
    #expect(try page.texts("//img/@alt")[0].contains("ellipse 99."))
  }

  @Test("Missing parts are named, with how to add them")
  func missing() throws {
    let page = try Page([ReportedModel(contentsOf: Sample.detector)]) {
      ($0.noVerify, $0.noProfile) = (true, true)
    }
    let expected = [
      ("description", APIName.labels), ("description", .editMetadata), ("ports", .images),
      ("picture", .reportImage), ("verification", .withoutVerification),
      ("profile", .withoutProfile),
    ]
    for (section, name) in expected {
      #expect(try page.section(section).contains("\(name)"), "\(section)")
    }
    #expect(try page.texts("//header//p[contains(@class, 'verdict')]") == ["Not verified"])
    let verified = try Page([ReportedModel(contentsOf: Sample.detector)])
    #expect(try verified.texts("//header//p[contains(@class, 'verdict')]") == ["Plausible"])
    #expect(try verified.section("verification").contains("\(APIName.verifyReferences)"))
    #expect(try verified.section("verification").contains("\(APIName.against)"))
  }

  @Test("A model with wrong outputs is marked as failed at the top")
  func wrong() throws {
    var model = try Sample.described()
    let inputs = try ArrayFile.read(Sample.file("input.npy"))
    let zeros = [Double](repeating: 0, count: 11 * 11 * 24)
    try model.addReferences(
      inputs: inputs,
      outputs: [
        NamedTensor(name: "conv2d_7", tensor: Tensor(.float32, shape: [1, 11, 11, 24], zeros))
      ],
      author: "somebody")
    let page = try Page([ReportedModel(model, path: "wrong.wbm")])
    #expect(try page.texts("//header//p[@class='verdict wrong']") == ["Failed"])
    #expect(try page.texts("//section[@id='verification']//strong[@class='failed']") == ["failed"])
  }

  @Test("Equal reports give equal pages")
  func deterministic() throws {
    let pages = try (0..<2).map { _ in
      try Page([ReportedModel(Sample.described(), path: "a.wbm")]) { $0.noProfile = true }.text
    }
    #expect(pages[0] == pages[1])
  }

  @Test("A report is about one model or two")
  func counts() throws {
    let model = try ReportedModel(contentsOf: Sample.detector)
    for models in [[], [model, model, model]] {
      let error = #expect(throws: WeighbridgeError.self) { try Report(models) }
      #expect(error?.code == .mismatch)
      #expect(error?.reason.contains("one model or two") == true, "\(error as Any)")
    }
  }

  @Test("The article's code makes a page")
  func article() throws {
    let path = "Sources/Product/Weighbridge/Weighbridge.docc/ReportOfAModel.md"
    let article = String(
      decoding: try Files.read("\(Paths.project)/\(path)"), as: UTF8.self)
    let code = """
      var options = ReportOptions()
      options.image = .init(name: "picture.png", image: try Image(contentsOf: "picture.png"))
      let models = [try ReportedModel(contentsOf: "shape-detector.wbm")]
      let report = try Report(models, options: options)
      print(report.verifications[0]?.passed ?? false)
      let page = try report.html()
      """
    #expect(article.contains("```swift\nimport ModelReport\n\n\(code)\n```"))
    // The same for other files.
    var options = ReportOptions()
    options.image = .init(
      name: "picture.png", image: try Image(contentsOf: Sample.file("picture.png")))
    let models = [try ReportedModel(contentsOf: Sample.detector)]
    let report = try Report(models, options: options)
    #expect(report.verifications[0]?.passed == true)
    #expect(try report.html().hasPrefix("<!DOCTYPE html>"))
  }
}

/// The names of version 0.2, called through a protocol: a direct call would be a warning.
@Suite struct FormerReportNameTests {
  private protocol Use {
    static func use()
  }

  private enum FormerNames: Use {
    @available(*, deprecated)
    static func use() {
      var options = ReportOptions()
      #expect(options.verifies && options.profiles)
      (options.verifies, options.profiles) = (false, false)
      #expect(options.noVerify && options.noProfile)
    }
  }

  @Test("The opposites of noVerify and noProfile are those of version 0.2")
  func formerNames() {
    (FormerNames.self as any Use.Type).use()
  }
}
