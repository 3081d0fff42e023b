import GraphIR
import TestSupport
import Testing

@testable import ModelUse

@Suite struct SwiftNameTests {
  @Test(
    "Names in a model become recognizable Swift identifiers",
    arguments: [
      ("image", "image"), ("the image", "theImage"), ("input:0", "input0"), ("1st", "_1st"),
      ("class", "`class`"), ("self", "self_"), ("conv2d_1_input", "conv2d_1_input"),
      ("größe", "größe"), ("a/b.c", "aBC"), ("??", "feature"), ("", "feature"),
    ])
  func properties(name: String, expected: String) {
    var taken = UniqueNames()
    #expect(SwiftName.property(name, &taken) == expected)
  }

  @Test("Names that would collide get numbers")
  func doubles() {
    var taken = UniqueNames(["detections"])
    #expect(
      ["a b", "aB", "a-b", "detections"].map { SwiftName.property($0, &taken) } == [
        "aB", "aB_2", "aB_3", "detections_2",
      ])
  }

  @Test(
    "File names become class names",
    arguments: [
      ("shape-detector", "ShapeDetector"), ("Detector", "Detector"), ("String", "StringModel"),
      ("3d", "Model3d"), ("", "Model"), ("weighbridge", "WeighbridgeModel"),
    ])
  func classes(name: String, expected: String) {
    #expect(SwiftName.type(name) == expected)
  }

  @Test("A string literal holds any name")
  func literals() {
    #expect("a\"b\\c\n\\(d)".swiftLiteral == #""a\"b\\c\u{a}\\(d)""#)
  }
}
