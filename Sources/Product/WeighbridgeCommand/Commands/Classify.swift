import ArgumentParser
import Vision
import Weighbridge

/// `weighbridge classify`
struct Classify: CancellableCommand {
  static let configuration = CommandConfiguration(
    commandName: "classify",
    abstract: "Classifies images.",
    discussion: """
      Prints the most probable classes of each image with their probabilities. With -o the images \
      are shown side by side, with their classes below them. Anything that the file does not say \
      can be given with the same options as for `convert`.

      Example:
        weighbridge classify sketches.wbm drawings --top 3 -o sheet.png
      """)

  @Argument(help: "The model, of any format that can be read.")
  var file: String

  @Argument(help: ArgumentHelp("JPEG and PNG files, and folders of them.", valueName: "image"))
  var images: [String]

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Where the sheet with all images and their classes goes (.png or .jpg).",
      valueName: "sheet.png"))
  var output: String?

  @OptionGroup var classification: ClassificationOptions
  @OptionGroup var preparation: ImageOptions
  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Description") var usage: UsageOptions
  @OptionGroup var general: GeneralOptions

  func validate() throws {
    if let output, ImageFormat(fileName: output) == nil {
      throw ValidationError("\(output): the sheet's name ends in neither .png nor .jpg")
    }
  }

  func run(_ cancellation: Cancellation) throws {
    let paths = try ImageBatch.files(images, general)
    let batch = BatchClassifier(
      classifier: try makeClassifier(paths.count, cancellation),
      batch: ImageBatch(general: general, threads: preparation.imageThreads),
      sheet: output == nil ? nil : ContactSheet(count: paths.count))
    let status = Result { try batch.run(paths) }
    if let output { try batch.sheet?.image?.write(to: output) }
    try status.get()
  }

  private func makeClassifier(
    _ imageCount: Int, _ cancellation: Cancellation
  ) throws(WeighbridgeError) -> Classifier {
    var options = classification.options
    preparation.apply(to: &options, imageCount: imageCount, cancellation, general)
    return try usage.describing(file, source.readOptions) { (model) throws(WeighbridgeError) in
      try Classifier(model, options: options)
    }
  }
}
