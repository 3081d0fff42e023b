import Weighbridge

/// Converts the sample detector and verifies the file, with nothing but the library's public API.
@main
enum Consumer {
  static func main() async throws {
    guard CommandLine.arguments.count == 3 else {
      throw WeighbridgeError(.missing, "usage: consumer FOLDER-OF-THE-SAMPLE OUTPUT.wbm")
    }
    let (folder, output) = (CommandLine.arguments[1], CommandLine.arguments[2])
    let source = "\(folder)/shape-detector.h5"

    var model = try Model(contentsOf: source)
    try model.describe(description(labels: try LabelFile.read("\(folder)/labels.names")))
    try model.addReferences(
      inputs: try ArrayFile.read("\(folder)/input.npy"),
      outputs: try ArrayFile.read("\(folder)/outputs.npz"), author: "keras 2.1.5")
    try model.write(to: output)

    var options = VerifyOptions()
    options.against = source
    let report = try Model(contentsOf: output).verify(options)
    for result in report.results { print(result.name, result.status.rawValue, result.reason) }
    guard report.passed else { throw WeighbridgeError(.mismatch, "the verification failed") }
    print("The package that depends on Weighbridge converted and verified \(source).")
    try await useGeneratedClasses(picture: "\(folder)/picture.png")
  }

  /// Runs the classes that the package plugin generated from the `.wbm` files next to this file.
  private static func useGeneratedClasses(picture: String) async throws {
    let image = try Image(contentsOf: picture)
    let detector = try ShapeDetector()
    let input = ShapeDetectorInput(image: image)
    let found = try onThisThread { try detector.prediction(image: image) }
    let again = try await detector.predictions(inputs: [input, input])
    let labels = found.detections.map { $0.label ?? "" }
    guard labels == ["ellipse", "ellipse", "triangle", "rectangle"],
      again.map(\.detections) == [found.detections, found.detections],
      found.grid.shape == [1, 11, 11, 24]
    else { throw WeighbridgeError(.mismatch, "the generated class found \(labels)") }

    // An input called `class`, and an output called `the answer`.
    let names = try FightingNames()
    let shape = [1] + names.model.inputs[0].type.shape.compactMap(\.value)
    let zeros = Tensor(
      .float32, shape: shape, [Double](repeating: 0, count: shape.reduce(1, *)))
    let answer = try onThisThread { try names.prediction(class: zeros).theAnswer }
    guard answer.count > 0 else { throw WeighbridgeError(.mismatch, "there is no answer") }
    print("The generated classes found \(labels.joined(separator: ", ")) in \(picture).")
  }

  /// Synchronous work: in an asynchronous function the asynchronous overloads would be called.
  private static func onThisThread<Result>(_ work: () throws -> Result) rethrows -> Result {
    try work()
  }

  private static func description(labels: [String]) -> DescriptionEdit {
    var edit = DescriptionEdit()
    edit.inputNames = [.init(old: nil, new: "image")]
    var image = DescriptionEdit.Image(input: "image")
    image.scale = 1.0 / 255
    edit.images = [image]
    edit.labels = labels
    edit.detector = .init(kind: .region, anchors: [2.85, 2.46, 2.96, 4.61, 4.96, 4.19])
    return edit
  }
}
