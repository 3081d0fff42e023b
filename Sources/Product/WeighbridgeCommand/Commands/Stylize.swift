import ArgumentParser
import JSON
import Weighbridge

/// `weighbridge stylize`
struct Stylize: CancellableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stylize",
    abstract: "Transforms images with a model.",
    discussion: """
      For models that take an image and give one: painting in a style, removing noise, enlarging. \
      A model that takes any size is given the image at its own size, in tiles that overlap; else \
      the image is brought to the model's size. Anything that the file does not say can be given \
      with the same options as for `convert`.

      Example:
        weighbridge stylize van-gogh.wbm photo.jpg -o painting.png
      """)

  @Argument(help: "The model, of any format that can be read.")
  var file: String

  @Argument(help: ArgumentHelp("JPEG and PNG files, and folders of them.", valueName: "image"))
  var images: [String]

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Where the new image goes (.png or .jpg), or a folder for several.", valueName: "out.png"))
  var output: String

  @OptionGroup var stylizing: StylizingOptions
  @OptionGroup var preparation: ImageOptions
  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Description") var usage: UsageOptions
  @OptionGroup var general: GeneralOptions

  func validate() throws {
    guard stylizing.outputBias == nil || stylizing.outputScale != nil else {
      throw ValidationError("--output-bias needs --output-scale")
    }
  }

  func run(_ cancellation: Cancellation) throws {
    let paths = try ImageBatch.files(images, general)
    let stylizer = try makeStylizer(paths.count, cancellation)
    let target = try OutputImageFiles(output, for: paths)
    var batch = ImageBatch(general: general, threads: preparation.imageThreads)
    batch.failure = { path, error in
      .object(["image": .string(path), "error": .string(error.description)])
    }
    try batch.run(paths) { (image, _, position) throws(WeighbridgeError) in
      let result = try stylizer.stylize(image)
      try target.write(result, position: position)
      return StylizedFile(
        path: target.file(position), width: result.width, height: result.height)
    } then: { _, file, path in
      ImageBatch.Result(
        json: .object([
          "image": .string(path), "output": .string(file.path), "width": .integer(file.width),
          "height": .integer(file.height),
        ]), text: "\(path): \(file.path), \(file.width) x \(file.height)")
    }
  }

  /// The file with a stylized image.
  private struct StylizedFile: Sendable {
    let path: String
    let width, height: Int
  }

  private func makeStylizer(
    _ imageCount: Int, _ cancellation: Cancellation
  ) throws(WeighbridgeError) -> Stylizer {
    var options = StylizeOptions()
    options.output = stylizing.outputScale.map {
      OutputScale(scale: $0.value, bias: stylizing.outputBias ?? 0)
    }
    options.tile = stylizing.tile ?? options.tile
    options.overlap = stylizing.overlap ?? min(options.overlap, options.tile / 2)
    preparation.apply(to: &options, imageCount: imageCount, cancellation, general)
    return try usage.describing(file, source.readOptions) { (model) throws(WeighbridgeError) in
      try Stylizer(model, options: options)
    }
  }
}
