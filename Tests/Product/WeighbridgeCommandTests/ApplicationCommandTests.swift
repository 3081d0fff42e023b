import JSON
import TestSupport
import Testing
import Weighbridge

/// `weighbridge classify`, `cut` and `stylize`, from the arguments to their output.
@Suite struct ApplicationCommandTests {
  private let folder = Result { try TemporaryFolder() }
  private static let sketches = Paths.sample("Models/sketch-classifier")
  private static let star = "\(sketches)/picture.png"
  private static let model = "\(sketches)/sketch-classifier.h5"
  private static let use = [
    "--image-input", "conv2d_1_input", "--image-scale", "1/255", "--labels",
    "\(sketches)/labels.names",
  ]
  private static let softening = [
    "stylize", Paths.sample("Models/softening/softening.h5"), "--image-input", "photo",
    "--image-scale", "1/255",
  ]

  private func file(_ name: String) throws -> String { try folder.get().file(name) }

  private func classify(_ arguments: String...) throws -> Outcome {
    try Program.run(["classify", Self.model] + arguments + Self.use)
  }

  @Test("classify --json is what scripts rely on")
  func json() throws {
    let outcome = try classify(Self.star, "--json", "--top", "2")
    outcome.expect(0)
    let list = try #require(try JSONValue(parsing: Array(outcome.output.utf8)).array)
    let entry = try #require(list.first?.object)
    #expect(list.count == 1 && Set(entry.keys) == ["image", "classes"])
    #expect(entry["image"]?.string == Self.star)
    let classes = try #require(entry["classes"]?.array)
    try #require(classes.count == 2)
    let star = try #require(classes[0].object)
    #expect(star["label"]?.string == "star" && star["class"]?.integer == 7)
    #expect(abs((star["probability"]?.real ?? 0) - 0.99993) < 1e-5)  // by Keras
  }

  @Test("classify prints a table for people")
  func text() throws {
    let outcome = try classify(Self.star, "--top", "1")
    outcome.expect(0)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(lines[0] == "\(Self.star): 64 x 64")
    #expect(lines[2].split(separator: " ") == ["star", "100.0%"])
    #expect(outcome.messages.isEmpty)
  }

  @Test("A batch keeps order and count; a broken image is named and the others are classified")
  func batch() throws {
    try Files.write(try Files.read(Self.star).prefix(300), to: try file("cut.png"))
    let outcome = try classify(
      Self.star, try file("cut.png"), Self.star, "--json", "-o", try file("sheet.png"))
    outcome.expect(1, "cut.png", "1 of 3 images could not be read")
    let list = try #require(try JSONValue(parsing: Array(outcome.output.utf8)).array)
    #expect(
      list.compactMap { $0.object?["image"]?.string } == [
        Self.star, try file("cut.png"), Self.star,
      ])
    #expect(list.map { $0.object?["classes"]?.array?.count } == [5, 0, 5])
    #expect(list[1].object?["error"]?.string?.contains("cut.png") == true)
    #expect(try Image(contentsOf: try file("sheet.png")).width > 400)
  }

  @Test("classify refuses files that are not images, models that do not classify, and bad options")
  func refusals() throws {
    try classify(Self.model).expect(3, "sketch-classifier.h5: ")
    try classify(Self.star, "--top", "0").expect(2, "--top")
    try classify(Self.star, "--threshold", "2").expect(2, "--threshold")
    try classify(Self.star, "-o", "sheet.gif").expect(2, ".png nor .jpg")
    try Program.run("classify", Sample.detector, Self.star).expect(2, "not a classifier")
    try Program.run("classify", Self.model, Self.star).expect(2, "--image-input")
  }

  @Test("cut writes a part that verifies, and names what it takes and gives")
  func cut() throws {
    let outcome = try Program.run(
      "cut", Self.model, "--output", "dense_1", "-o", try file("features.wbm"))
    outcome.expect(0, "13 nodes, 79,680 parameters", "gives dense_1, float32 [batch, 64]")
    try Program.run("verify", try file("features.wbm")).expect(0)
    let middle = try Program.run(
      "cut", Self.model, "--input", "conv2d_1", "--output", "conv2d_2", "-o",
      try file("middle.wbm"), "--json")
    middle.expect(0)
    #expect(try middle.json()["inputs"]?.array?.first?.object?["name"]?.string == "conv2d_1")
  }

  @Test("cut leaves the existing output unchanged if the layers do not fit")
  func cutRefusals() throws {
    let workspace = try Workspace()
    for (arguments, message) in [
      (["--output", "dense_3"], "the nearest names are dense_1, dense_2"),
      (["--output", "conv2d_1", "--input", "dense_1"], "no path leads from dense_1"),
      (["--output", "dense_1", "--input", "nothing"], "has no layer nothing"),
    ] {
      try Program.run(["cut", Self.model, "-o", workspace.output] + arguments).expect(2, message)
      try workspace.expectUntouched()
    }
    try Program.run(
      "cut", Self.model, "--output", "dense_1", "-o", workspace.output, "--no-clobber"
    )
    .expect(4)
    try workspace.expectUntouched()
  }

  @Test("stylize writes an image for each image")
  func stylize() throws {
    let images = ["wide.png", "odd.png"].map { Paths.sample("Models/softening/\($0)") }
    let outcome = try Program.run(
      Self.softening + images + ["/nowhere.png", "-o", try file("soft"), "--json"])
    outcome.expect(1, "1 of 3 images could not be read")
    #expect(Files.names(in: try file("soft")) == ["odd.png", "wide.png"])
    let list = try #require(try JSONValue(parsing: Array(outcome.output.utf8)).array)
    #expect(list.compactMap { $0.object?["width"]?.integer } == [264, 67])
    #expect(list.count == 3)
    try Program.run(["stylize", Self.model, Self.star, "-o", try file("x.png")] + Self.use)
      .expect(2, "its output has a score for each class")
    try Program.run(Self.softening + images + ["-o", try file("y"), "--output-bias", "1"])
      .expect(2, "--output-scale")
  }

  @Test("The demonstration classifies, cuts, stylizes and writes an interface")
  func demonstration() throws {
    let outcome = try Program.shell(
      "exec \"$1\" \"$PROGRAM\" \"$2\"", "\(Self.sketches)/demo.sh", try file("demo"))
    outcome.expect(0)
    for part in [
      "sketches.wbm: 16 nodes, 80,200 parameters", "\n200\n", "\npassed\n",
      "gives dense_1, float32 [batch, 64]", "soft.png, 264 x 88", "\n6\n",
    ] {
      #expect(outcome.output.contains(part), "\(part) in\n\(outcome.output)")
    }
  }
}
