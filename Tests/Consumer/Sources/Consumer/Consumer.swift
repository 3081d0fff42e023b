import Weighbridge

/// Converts the sample detector and verifies the file, with nothing but the library's public API.
@main
enum Consumer {
  static func main() throws {
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
    options.source = (path: source, options: ReadOptions())
    let report = try Model(contentsOf: output).verify(options)
    for result in report.results { print(result.name, result.status.rawValue, result.reason) }
    guard report.passed else { throw WeighbridgeError(.mismatch, "the verification failed") }
    print("The package that depends on Weighbridge converted and verified \(source).")
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
