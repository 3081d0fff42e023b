import Bytes
import ImageSearch
import TestSupport
import Testing
import Vision

@Suite("Layouts that are searched for")
struct LayoutTests {
  private func read(_ text: String) throws -> Composition {
    let folder = try TemporaryFolder()
    try Files.write(text.utf8, to: folder.file("layout.json"))
    return try Composition(layoutFile: folder.file("layout.json"), aspectRatio: 1.5)
  }

  @Test("A layout is a list of labels with boxes")
  func reading() throws {
    let layout = try read(#"[{"label": "cat", "x": 0.1, "y": 0, "width": 0.5, "height": 1}]"#)
    #expect(layout.objects == [.init(label: "cat", box: Box(x: 0.1, y: 0, width: 0.5, height: 1))])
    #expect(layout.aspectRatio == 1.5)
  }

  @Test(
    "An invalid layout is refused with its position",
    arguments: [
      ("{}", "is an object, and a layout is a list"),
      (#"["cat"]"#, "layout.json:/0: is a string"),
      (#"[{"x": 0}]"#, "layout.json:/0: has no label"),
      (#"[{"label": 3}]"#, "its label is a number"),
      (#"[{"label": "a", "x": 0, "y": 0, "width": 1}]"#, "has no height"),
      (#"[{"label": "a", "x": "0", "y": 0, "width": 1, "height": 1}]"#, "its x is a string"),
      (#"[{"label": "a", "w": 1}]"#, "unknown key w; the keys are label, x, y, width, height"),
      ("[", "layout.json: byte 1"),
    ])
  func malformed(text: String, message: String) throws {
    let error = try #require(failure { _ = try read(text) })
    #expect(error.code == .malformed && "\(error)".contains(message), "\(error)")
  }

  @Test(
    "Boxes outside, without size or with NaN are refused, with what would be right",
    arguments: [
      (Box(x: 0.5, y: 0, width: 0.75, height: 0.5), "the part inside is 0.5, 0.0, 0.5, 0.5"),
      (Box(x: 1.5, y: 0, width: 0.5, height: 0.5), "lies outside of the image"),
      (Box(x: 0, y: 0, width: 0, height: 0.5), "width and height must be above 0"),
      (Box(x: 0, y: 0, width: 0.5, height: -1), "width and height must be above 0"),
      (Box(x: .nan, y: 0, width: 0.5, height: 0.5), "NaN or infinite"),
      (Box(x: 0, y: 0, width: .infinity, height: 0.5), "NaN or infinite"),
    ])
  func boxes(box: Box, message: String) throws {
    let layout = Composition(objects: [
      .init(label: "cat", box: Box(x: 0, y: 0, width: 1, height: 1)), .init(label: "dog", box: box),
    ])
    let error = try #require(failure { try layout.check(labels: ["cat", "dog"]) })
    #expect(error.code == .mismatch && error.reason.contains("object 2 of the layout, dog"))
    #expect(error.reason.contains(message), "\(error)")
  }

  @Test("Unknown labels are named with those that there are")
  func unknownLabels() throws {
    let box = Box(x: 0, y: 0, width: 1, height: 1)
    let layout = Composition(
      objects: ["cat", "horse", "unicorn"].map { .init(label: $0, box: box) })
    let error = try #require(failure { try layout.check(labels: ["cat", "dog"]) })
    #expect(error.reason == "the model does not know horse, unicorn; its labels are cat, dog")
  }

  @Test("Empty and oversized layouts, and invalid proportions, are refused")
  func wrongLayouts() throws {
    let cat = Composition.Object(label: "cat", box: Box(x: 0, y: 0, width: 1, height: 1))
    #expect(failure { try Composition(objects: []).check(labels: ["cat"]) }?.code == .mismatch)
    let many = Composition(objects: Array(repeating: cat, count: 101))
    #expect(failure { try many.check(labels: ["cat"]) }?.code == .limitExceeded)
    for ratio in [0, -1, Double.nan, .infinity] {
      let layout = Composition(objects: [cat], aspectRatio: ratio)
      #expect(failure { try layout.check(labels: ["cat"]) }?.code == .mismatch)
    }
  }

  @Test("Weights below 0, a maximum that is not a number and no images at all are refused")
  func wrongNumbers() throws {
    let cat = Composition.Object(label: "cat", box: Box(x: 0, y: 0, width: 1, height: 1))
    var query = CompositionQuery(Composition(objects: [cat]))
    query.weights.size = -1
    #expect(failure { _ = try query.match(Composition(objects: [])) }?.code == .mismatch)
    query.weights.size = 1
    query.maximumCost = .nan
    #expect(failure { _ = try query.match(Composition(objects: [])) }?.code == .mismatch)
    query.maximumCost = 5
    query.maximumCount = 0
    #expect(failure { _ = try query.match(Composition(objects: [])) }?.code == .mismatch)
  }
}
