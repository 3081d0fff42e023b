import ArgumentParser
import Weighbridge

/// What the user says of the model.
struct DescriptionOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Who made the model.", valueName: "text"))
  var author: String?

  @Option(
    help: ArgumentHelp("The terms of use: an SPDX expression or any text.", valueName: "text"))
  var license: String?

  @Option(help: ArgumentHelp("The model's own version.", valueName: "text"))
  var modelVersion: String?

  @Option(help: ArgumentHelp("What the model does.", valueName: "text"))
  var description: String?

  @Option(help: ArgumentHelp("A new name for an input: OLD=NEW, or NAME.", valueName: "name"))
  var inputName: [RenameArgument] = []

  @Option(help: ArgumentHelp("A new name for an output: OLD=NEW, or NAME.", valueName: "name"))
  var outputName: [RenameArgument] = []

  @Option(help: ArgumentHelp("What an input holds: NAME=TEXT.", valueName: "name=text"))
  var inputDescription: [PairArgument] = []

  @Option(help: ArgumentHelp("What an output holds: NAME=TEXT.", valueName: "name=text"))
  var outputDescription: [PairArgument] = []

  @Option(help: ArgumentHelp("The input that takes a picture.", valueName: "name"))
  var imageInput: String?

  @Option(
    help: ArgumentHelp("The factor for a picture's 8-bit components, also 1/255.", valueName: "x"))
  var imageScale: FractionArgument?

  @Option(
    help: ArgumentHelp(
      "Added after scaling, one number for each component.", valueName: "r,g,b"))
  var imageBias: NumbersArgument?

  @Option(help: "The order of a pixel's components: rgb, bgr or gray.")
  var color: WordArgument<ImageInput.ColorOrder>?

  @Option(help: ArgumentHelp("Class labels, one a line.", valueName: "file"))
  var labels: String?

  @Option(help: "How boxes are read from the outputs: region or yolo.")
  var detector: WordArgument<DetectorDescription.Kind>?

  @Option(
    help: ArgumentHelp(
      "Anchor boxes, in grid cells for region and in pixels for yolo.", valueName: "w,h,..."))
  var anchors: NumbersArgument?

  @Option(
    help: ArgumentHelp(
      "All of these in one file (Schemas/metadata.schema.json); options go first.",
      valueName: "file.json"))
  var metadata: String?

  func validate() throws {
    let image: [Any?] = [imageScale, imageBias, color]
    guard imageInput != nil || image.allSatisfy({ $0 == nil }) else {
      throw ValidationError("--image-scale, --image-bias and --color need --image-input NAME")
    }
    guard (detector == nil) == (anchors == nil) else {
      throw ValidationError("--detector and --anchors go together")
    }
  }

  /// What these options say, over what the metadata file says.
  func edit() throws(WeighbridgeError) -> DescriptionEdit {
    var edit =
      try metadata.map { (path) throws(WeighbridgeError) in
        try DescriptionEdit(metadataFile: path)
      } ?? DescriptionEdit()
    edit.author = author ?? edit.author
    edit.license = license ?? edit.license
    edit.version = modelVersion ?? edit.version
    edit.summary = description ?? edit.summary
    edit.inputNames += inputName.map(\.rename)
    edit.outputNames += outputName.map(\.rename)
    for pair in inputDescription { edit.inputSummaries[pair.key] = pair.value }
    for pair in outputDescription { edit.outputSummaries[pair.key] = pair.value }
    if let imageInput { applyImage(imageInput, to: &edit) }
    if let labels { edit.labels = try LabelFile.read(labels) }
    if let detector, let anchors {
      edit.detector = .init(kind: detector.word, anchors: anchors.values)
    }
    return edit
  }

  private func applyImage(_ input: String, to edit: inout DescriptionEdit) {
    var image = edit.images.first { $0.input == input } ?? .init(input: input)
    image.colorOrder = color?.word ?? image.colorOrder
    image.scale = imageScale?.value ?? image.scale
    image.bias = imageBias?.values ?? image.bias
    edit.images.removeAll { $0.input == input }
    edit.images.append(image)
  }
}
