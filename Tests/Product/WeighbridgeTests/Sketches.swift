import TestSupport
import Testing
import Weighbridge

/// The sample sketch classifier, and 200 sketches with Keras' outputs for them.
enum Sketches {
  static let folder = Paths.sample("Models/sketch-classifier")
  static let labels = [
    "line", "cross", "circle", "square", "triangle", "zigzag", "spiral", "star",
  ]

  /// The classifier with its labels and its preprocessing.
  static func model(_ change: (inout DescriptionEdit) -> Void = { _ in }) throws -> Model {
    var model = try Model(contentsOf: "\(folder)/sketch-classifier.h5")
    var edit = DescriptionEdit()
    edit.inputNames = [.init(old: nil, new: "sketch")]
    var image = DescriptionEdit.Image(input: "sketch")
    image.scale = 1.0 / 255
    edit.images = [image]
    edit.labels = labels
    change(&edit)
    try model.describe(edit)
    return model
  }

  /// The sketches' files: sketch `i` is of the class `i % 8`.
  static func files() throws -> [String] {
    let names = Files.names(in: "\(folder)/sketches").filter { $0.hasSuffix(".png") }
    try #require(names.count == 200)
    return names.map { "\(folder)/sketches/\($0)" }
  }

  /// Keras' outputs for the sketches: `features` [200, 64] and `probabilities` [200, 8].
  static func recorded(_ name: String) throws -> [[Double]] {
    let arrays = try ArrayFile.read("\(folder)/sketches.npz")
    let tensor = try #require(arrays[name])
    let (numbers, width) = (tensor.doubles, tensor.shape[1])
    return (0..<tensor.shape[0]).map { Array(numbers[$0 * width..<($0 + 1) * width]) }
  }
}
