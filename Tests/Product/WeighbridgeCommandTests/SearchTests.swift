import Foundation
import JSON
import TestSupport
import Testing
import Weighbridge

/// `weighbridge index`, `search` and `similar`, from the arguments to their output.
@Suite struct SearchTests {
  private let folder = Result { try TemporaryFolder() }
  private static let image = Paths.sample("Models/shape-detector/picture.png")
  private static let model =
    [
      "--model", Sample.detector, "--image-input", "input_1", "--image-scale", "1/255", "--labels",
      Sample.labels, "--detector", "region", "--anchors", Sample.anchors,
    ]

  private func file(_ name: String) throws -> String { try folder.get().file(name) }

  /// A folder with the sample image and two copies of it, flipped vertically.
  private func makeImages() throws -> String {
    let images = try file("images")
    try Files.makeFolder(images)
    let image = try Image(contentsOf: Self.image)
    try image.write(to: "\(images)/a.png")
    let flipped = Image(
      width: image.width, height: image.height,
      pixels: (0..<image.height).reversed().flatMap { row in
        image.pixels[row * image.width * 3..<(row + 1) * image.width * 3]
      })
    try flipped.write(to: "\(images)/b.png")
    try flipped.write(to: "\(images)/c.png")
    return images
  }

  private func index(_ arguments: String...) throws -> Outcome {
    try Program.run(["index"] + arguments + Self.model)
  }

  private func list(_ outcome: Outcome) throws -> [JSONObject] {
    outcome.expect(0)
    let array = try #require(try JSONValue(parsing: Array(outcome.output.utf8)).array)
    return array.compactMap(\.object)
  }

  @Test("An index is created, found up to date, and searched without the model")
  func wholeWay() throws {
    let (images, database) = (try makeImages(), try file("photos.db"))
    let first = try index(images, "-o", database, "--json")
    first.expect(0)
    let counts = try first.json()
    // c.png has the bytes of b.png; which of the two is analyzed depends on the threads.
    #expect(counts["images"]?.integer == 3 && counts["unreadable"]?.array?.isEmpty == true)
    let second = try index(images, "-o", database, "--json").json()
    #expect(second["analyzed"]?.integer == 0 && second["images"]?.integer == 3)
    let found = try list(
      try Program.run("search", "--in", database, "--like", "\(images)/a.png", "--json"))
    try #require(found.count == 3)
    #expect(found[0]["image"]?.string?.hasSuffix("/images/a.png") == true)
    #expect(found[0]["cost"]?.real.map { $0 < 1e-9 } == true)
    #expect(found[0]["assignment"]?.string == "exact")
    #expect(found[0]["detections"]?.array?.count == 4)
    let terms = try #require(found[1]["terms"]?.object)
    #expect(terms.keys == ["presence", "relative_position", "size", "relative_size"])
    let parts = terms.keys.compactMap { terms[$0]?.real }
    let cost = zip(parts, [2, 1.5, 1, 0.5]).reduce(0) { $0 + $1.0 * $1.1 }
    #expect(abs(try #require(found[1]["cost"]?.real) - cost) < 1e-9)
  }

  @Test("The demonstration on the samples prints what the article shows")
  func demonstration() throws {
    let outcome = try Program.shell(
      "exec \"$1\" \"$PROGRAM\" \"$2\"", Paths.sample("Models/scene-detector/demo.sh"),
      try file("demo"))
    outcome.expect(0)
    let article = String(
      decoding: try Files.read(
        "\(Paths.project)/Sources/Product/ImageSearch/ImageSearch.docc/FromAFolderToASearch.md"),
      as: UTF8.self)
    #expect(article.contains("```console\n\(outcome.output)```"), "\(outcome.output)")
    let counts = outcome.output.split(separator: "\n").compactMap { line in
      line.contains(" of ") ? line.split(separator: " ").first.flatMap { Int($0) } : nil
    }
    try #require(counts.count == 2)
    #expect(counts[0] >= 58 && counts[1] >= 180)
  }

  @Test("People get a table with each term, and -o draws the layout and the boxes")
  func text() throws {
    let images = try makeImages()
    let outcome = try Program.run(
      ["search", "--in", images, "--object", "ellipse:0.16,0.58,0.36,0.21", "--classes", "ellipse"]
        + ["--max-cost", "100", "--top", "2", "-o", try file("sheet.png")] + Self.model)
    outcome.expect(0)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(
      lines[0].split(separator: " ")
        == ["image", "cost", "presence", "position", "size", "relative", "size", "found"])
    #expect(lines.count == 4 && lines[3].contains("exactly"))
    let sheet = try Image(contentsOf: try file("sheet.png"))
    // Two rows of two: the layout and two images, 240 pixels each with two lines of text.
    #expect(sheet.width == 504 && sheet.height > 504)
  }

  @Test("The maximum cost is strict")
  func maximumCost() throws {
    let images = try makeImages()
    let layout = ["--object", "rectangle:0,0,1,1", "--weights", "1,0,0,0"]
    let search = ["search", "--in", images, "--json"] + layout + Self.model
    let costs = try list(try Program.run(search + ["--max-cost", "1000"])).compactMap {
      $0["cost"]?.real
    }
    let least = try #require(costs.first)
    #expect(costs.count == 3 && least == least.rounded(), "presence alone counts objects")
    #expect(try list(try Program.run(search + ["--max-cost", "\(least)"])).isEmpty)
    #expect(try list(try Program.run(search + ["--max-cost", "\(least + 0.001)"])).count >= 1)
  }

  @Test("Features of a layer are compared, and drawn as SVG and PNG")
  func similar() throws {
    let (images, plots) = (try makeImages(), try file("plots"))
    let outcome = try Program.run(
      ["similar", "\(images)/b.png", Self.image, "--in", images, "--features", "conv2d_6"]
        + ["--json", "--plot", plots] + Self.model)
    let queries = try list(outcome)
    try #require(queries.count == 2)
    let matches = try #require(queries[0]["matches"]?.array).compactMap(\.object)
    #expect(matches.compactMap { $0["image"]?.string?.suffix(5) } == ["c.png", "a.png"])
    #expect(try #require(matches[0]["distance"]?.real) < 1e-12)
    #expect(queries[1]["matches"]?.array?.count == 3, "the query lies outside of the folder")
    #expect(
      Files.names(in: plots) == [
        "b.png.features.png", "b.png.features.svg", "distances.png", "distances.svg",
        "picture.png.features.png", "picture.png.features.svg",
      ])
    let bars = try Image(contentsOf: "\(plots)/b.png.features.png")
    #expect(bars.width == 600 && bars.height == 300)
    let map = try Image(contentsOf: "\(plots)/distances.png")
    #expect(map.width == 600 && map.height == 600)
    let svg = String(decoding: try Files.read("\(plots)/distances.svg"), as: UTF8.self)
    #expect(svg.contains("width=\"600\" height=\"600\"") && svg.contains("data:image/png;base64,"))
  }

  @Test("Unreadable images are named, the others are processed, and the status is 1")
  func unreadable() throws {
    let images = try makeImages()
    try Files.write(try Files.read(Self.image).prefix(300), to: "\(images)/cut.png")
    let database = try file("photos.db")
    try index(images, "-o", database, "--features", "conv2d_6")
      .expect(1, "cut.png: ", "1 of 4 images could not be read")
    let similar = ["similar", "--in", database, "--json", "\(images)/a.png"]
    let outcome = try Program.run(similar)
    outcome.expect(0, "cut.png has no distance")
    let matches = try #require(try list(outcome)[0]["matches"]?.array)
    #expect(matches.last?.object?["distance"] == .null && matches.count == 3)
    try Program.run(similar + ["\(images)/cut.png"]).expect(1, "cut.png")
  }

  @Test(
    "An invalid query is bad usage, with a hint at valid ones",
    arguments: [
      (["--object", "circle:0,0,1,1"], "its labels are ellipse, rectangle, triangle"),
      (["--object", "ellipse:0,0,2,1"], "reaches beyond the image"),
      (["--object", "ellipse:0,0,0,1"], "width and height must be above 0"),
      (["--object", "ellipse:nan,0,1,1"], "NaN"),
      (["--object", "ellipse:0,0,1"], "label:x,y,width,height"),
      (["--object", "ellipse:0,0,1,1", "--classes", "circle"], "does not know circle"),
      (["--object", "ellipse:0,0,1,1", "--weights", "1,2"], "--weights"),
      (["--object", "ellipse:0,0,1,1", "--max-cost", "nan"], "--max-cost"),
      (["--object", "ellipse:0,0,1,1", "--like", "a.png"], "one of --layout"),
      (["--like", "a.png", "--aspect", "2"], "--aspect"), ([], "one of --layout"),
    ])
  func badLayouts(arguments: [String], message: String) throws {
    let outcome = try Program.run(
      ["search", "--in", try makeImages()] + arguments + Self.model)
    outcome.expect(2, message)
    #expect(outcome.output.isEmpty)
  }

  @Test("A model without boxes or an image input, or not the index's, is an error with advice")
  func wrongModels() throws {
    let (images, database) = (try makeImages(), try file("photos.db"))
    let layout = ["--object", "ellipse:0,0,1,1"]
    let plain = ["--model", Sample.detector]
    try Program.run(["search", "--in", images] + layout + plain).expect(2, "no input is described")
    let features = plain + ["--image-input", "input_1", "--image-scale", "1/255"]
    try Program.run(["search", "--in", images] + layout + features)
      .expect(2, "is not a detector")
    try index(images, "-o", database).expect(0)
    try Program.run(["similar", Self.image, "--in", database]).expect(
      2, "and no features", "name the layer")
    try Program.run(["index", images, "-o", database] + features).expect(
      2, "weighbridge index --rebuild")
    try Program.run(["search", "--in", database] + layout + features).expect(2, "--rebuild")
    try Program.run(["search", "--in", images] + layout).expect(2, "--model")
    try Program.run(["search", "--in", try file("none.db")] + layout).expect(3, "none.db")
    try Program.run(["search", "--in", Self.image] + layout).expect(3, "not a database")
  }
}
