import ArgumentParser
import Weighbridge

/// The user's description of how a model is used: its image, its labels, its boxes.
struct UsageOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The input that takes an image.", valueName: "name"))
  var imageInput: String?

  @Option(
    help: ArgumentHelp("The factor for an image's 8-bit components, also 1/255.", valueName: "x"))
  var imageScale: FractionArgument?

  @Option(
    help: ArgumentHelp(
      "Added after scaling, one number for each component.", valueName: "r,g,b"))
  var imageBias: NumbersArgument?

  @Option(help: "The order of a pixel's components: rgb, bgr or gray.")
  var color: EnumArgument<ImageInput.ColorOrder>?

  @Option(help: ArgumentHelp("Class labels, one a line.", valueName: "file"))
  var labels: String?

  @Option(help: "How boxes are read from the outputs: region or yolo.")
  var detector: EnumArgument<DetectorDescription.Kind>?

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

  /// Returns the edit of these options, which take precedence over the metadata file.
  func edit() throws(WeighbridgeError) -> DescriptionEdit {
    var edit =
      try metadata.map { (path) throws(WeighbridgeError) in
        try DescriptionEdit(metadataFile: path)
      } ?? DescriptionEdit()
    if let imageInput { applyImage(imageInput, to: &edit) }
    if let labels { edit.labels = try LabelFile.read(labels) }
    if let detector, let anchors {
      edit.detector = .init(kind: detector.value, anchors: anchors.values)
    }
    return edit
  }

  /// Reads a model, applies the description, and creates an object that uses the model.
  ///
  /// - Parameter source: Settings that the file does not contain.
  /// - Throws: Errors in the model or the description, located at the file.
  func describing<Result>(
    _ path: String, _ source: ReadOptions,
    _ make: (Model) throws(WeighbridgeError) -> Result
  ) throws(WeighbridgeError) -> Result {
    var model = try Model(contentsOf: path, options: source)
    do throws(WeighbridgeError) {
      try model.describe(try edit())
      return try make(model)
    } catch {
      throw error.at(file: path)
    }
  }

  private func applyImage(_ input: String, to edit: inout DescriptionEdit) {
    var image = edit.images.first { $0.input == input } ?? .init(input: input)
    image.colorOrder = color?.value ?? image.colorOrder
    image.scale = imageScale?.value ?? image.scale
    image.bias = imageBias?.values ?? image.bias
    edit.images.removeAll { $0.input == input }
    edit.images.append(image)
  }
}
