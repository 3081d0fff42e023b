import JSON
import TestSupport
import Testing
import Weighbridge

/// `weighbridge detect`, from the arguments to its output.
@Suite struct DetectTests {
  private let folder = Result { try TemporaryFolder() }
  private static let image = Paths.sample("Models/shape-detector/picture.png")
  private static let modelOptions = [
    "--image-input", "input_1", "--image-scale", "1/255", "--labels", Sample.labels, "--detector",
    "region", "--anchors", Sample.anchors,
  ]

  private func detect(_ arguments: String..., options: [String] = modelOptions) throws -> Outcome {
    try Program.run(["detect", Sample.detector] + arguments + options)
  }

  private func file(_ name: String) throws -> String { try folder.get().file(name) }

  private func copyImage(to name: String) throws {
    try Files.write(try Files.read(Self.image), to: try file(name))
  }

  @Test("--json is what scripts rely on")
  func json() throws {
    let outcome = try detect(Self.image, "--json", "--threshold", "0.97")
    outcome.expect(0)
    let list = try #require(try JSONValue(parsing: Array(outcome.output.utf8)).array)
    let entry = try #require(list.first?.object)
    #expect(entry["image"]?.string == Self.image)
    #expect(entry["width"]?.integer == 88 && entry["height"]?.integer == 88)
    let detections = try #require(entry["detections"]?.array)
    try #require(detections.count == 1)
    let detection = try #require(detections[0].object)
    #expect(detection["label"]?.string == "ellipse" && detection["class"]?.integer == 0)
    #expect(abs((detection["confidence"]?.real ?? 0) - 0.99557) < 1e-4)
    let box = try #require(detection["box"]?.object)
    #expect(abs((box["x"]?.real ?? 0) - 0.15854) < 1e-4)
    #expect(Set(box.keys) == ["x", "y", "width", "height"])
  }

  @Test("People get a table, with boxes in pixels")
  func text() throws {
    let outcome = try detect(Self.image)
    outcome.expect(0)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(lines[0] == "\(Self.image): 88 x 88, 4 detections")
    #expect(lines[2].split(separator: " ") == ["ellipse", "99.6%", "14", "51", "32", "19"])
    #expect(outcome.messages.isEmpty, "no progress where there is no terminal")
  }

  @Test("-o draws the boxes on a copy of the image")
  func drawing() throws {
    let outcome = try detect(Self.image, "-o", try file("found.png"))
    outcome.expect(0)
    let (drawn, plain) = (
      try Image(contentsOf: try file("found.png")), try Image(contentsOf: Self.image)
    )
    #expect(drawn.width == 88 && drawn.height == 88 && drawn.pixels != plain.pixels)
  }

  @Test("Images of a folder are processed in order, into a folder; other files are named")
  func folders() throws {
    for name in ["b.png", "a.png"] { try copyImage(to: name) }
    try Files.write("words".utf8, to: try file("notes.txt"))
    let images = try folder.get().path
    let outcome = try detect(images, "-o", try file("drawn"), "--json")
    outcome.expect(0)
    let list = try #require(try JSONValue(parsing: Array(outcome.output.utf8)).array)
    #expect(
      list.compactMap { $0.object?["image"]?.string } == ["\(images)/a.png", "\(images)/b.png"])
    #expect(outcome.messages.contains("notes.txt: is neither a JPEG nor a PNG"))
    #expect(Files.names(in: try file("drawn")) == ["a.png", "b.png"])
  }

  @Test("One broken image among several is reported, and the others are processed")
  func brokenImage() throws {
    try Files.write(try Files.read(Self.image).prefix(300), to: try file("cut.png"))
    let outcome = try detect(Self.image, try file("cut.png"), Self.image)
    outcome.expect(3, "cut.png")
    #expect(outcome.output.count(of: "4 detections") == 2)
    #expect(outcome.messages.contains("1 of 3 images could not be read"))
  }

  @Test(
    "A single image that cannot be read is the error",
    arguments: ["/nowhere/dog.jpg", "/dev/null", Sample.labels])
  func unreadable(path: String) throws {
    let outcome = try detect(path)
    outcome.expect(3, "weighbridge: error: \(path): ")
    #expect(outcome.output.isEmpty)
  }

  @Test("A folder without images is an error")
  func emptyFolder() throws {
    let path = try folder.get().path
    try detect(path).expect(3, "\(path): is a folder without JPEG or PNG images")
  }

  @Test(
    "Thresholds outside 0...1, and unknown words, are bad usage",
    arguments: [
      ["--threshold", "1.5"], ["--threshold", "nan"], ["--nms=-1"], ["--resize", "zoom"],
      ["--threads", "0"],
    ])
  func usage(arguments: [String]) throws {
    try Program.run(["detect", Sample.detector, Self.image] + Self.modelOptions + arguments)
      .expect(2)
  }

  @Test("Missing parts of the description are asked for, and those that do not fit are refused")
  func description() throws {
    try detect(Self.image, options: []).expect(2, "--anchors")
    let withoutLabels = Array(Self.modelOptions[..<4] + Self.modelOptions[6...])
    try detect(Self.image, options: withoutLabels).expect(2, "--labels")
    let withoutImage = Array(Self.modelOptions[4...])
    try detect(Self.image, options: withoutImage).expect(2, "--image-input")
    try Files.write("one\ntwo\n".utf8, to: try file("two.names"))
    let twoLabels =
      Array(Self.modelOptions[..<4]) + ["--labels", try file("two.names")]
      + Self.modelOptions[6...]
    try detect(Self.image, options: twoLabels).expect(2, "2 labels")
    try detect(Self.image, "-o", try file("found.gif")).expect(2, ".png nor .jpg")
  }
}

extension String {
  /// The number of occurrences of another string.
  fileprivate func count(of part: String) -> Int { ranges(of: part).count }
}
