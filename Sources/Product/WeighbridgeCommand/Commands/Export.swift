import ArgumentParser
import Bytes
import JSON
import Weighbridge

/// `weighbridge export`
struct Export: CancellableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes a model in the format of another tool.",
    discussion: """
      Formats: coreml (an .mlmodel), darknet (a .cfg, with a .weights file beside it), onnx, keras \
      (a .keras file of Keras 3), keras-h5 (an .h5 file of Keras 2.15), ncnn (a .param, with a .bin \
      file beside it), and the weights alone as safetensors or npz. A layer that the format cannot \
      express is an error that names it, and nothing is written.

      Examples:
        weighbridge export tinyyolo.wbm -o tinyyolo.cfg
        weighbridge export tinyyolo.wbm -o tinyyolo.onnx --layout nchw
        weighbridge export tinyyolo.wbm -o tinyyolo.onnx --with-nms --precision float16
        weighbridge export tinyyolo.wbm -o tinyyolo.safetensors
        weighbridge export keras1.h5 -o today.keras
        weighbridge export tinyyolo.wbm -o tinyyolo.param --precision float16
        weighbridge export tinyyolo.wbm -o tinyyolo.mlmodel --without-nms --precision float16
        weighbridge export unet.wbm -o unet.mlmodel --sizes 256x256,512x256
      """)

  @Argument(help: "The model, of any format that can be read.")
  var file: String

  @Option(name: .shortAndLong, help: ArgumentHelp("The output.", valueName: "file"))
  var output: String

  @Option(
    help: ArgumentHelp(
      """
      The format: coreml, darknet, onnx, keras, keras-h5, ncnn, safetensors or npz. By default told \
      from the output's extension.
      """,
      valueName: "format"))
  var to: EnumArgument<ExportTarget>?

  @Option(
    help: ArgumentHelp(
      "The version of ONNX's operators, 13 to 21; 17 by default.", valueName: "number"))
  var opset: Int?

  @Option(
    help: ArgumentHelp(
      "The axes of the images that an ONNX model takes and gives: source or nchw.",
      valueName: "order"))
  var layout: EnumArgument<ExportLayout>?

  @Flag(help: "Put the weights of an ONNX model into a file beside it.")
  var externalData = false

  @Option(
    help: ArgumentHelp(
      "The number type of stored weights of float32: float32 or float16. An ONNX model computes in "
        + "float32 all the same.",
      valueName: "type"))
  var precision: EnumArgument<ExportPrecision>?

  @Flag var nms: BoxOutputs?

  @Flag(
    help: "Make batch normalizations part of the weights before them; by default they stay.")
  var foldBatchNorm = false

  @Flag(
    help: ArgumentHelp(
      "In .safetensors and .npz files, keep weights in the encoding in which they are stored "
        + "(integers, tables, 16 bits), with scales and tables beside them: NAME/quantized, "
        + "NAME/scale, NAME/codes, NAME/table.")
  )
  var keepIntegers = false

  @Option(
    help: ArgumentHelp(
      "The specification version of a Core ML model, 1 to 5; by default the lowest that has all "
        + "its layers.",
      valueName: "number"))
  var specVersion: Int?

  @Option(
    help: ArgumentHelp(
      "What a Core ML model is: network, classifier or regressor. By default a classifier where "
        + "labels and a vector of probabilities fit each other, else a network.",
      valueName: "kind"))
  var kind: EnumArgument<CoreMLKind>?

  @Option(
    help: ArgumentHelp(
      "The sizes that the images of a Core ML model may have, the usual one first, where the "
        + "network leaves them open: 416x416,608x320, width before height. By default any size.",
      valueName: "WxH,..."))
  var sizes: SizesArgument?

  @Flag(help: "Refuse to replace existing files.")
  var noClobber = false

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup var general: GeneralOptions

  func run(_ cancellation: Cancellation) throws {
    var readOptions = source.readOptions
    var options = ExportOptions()
    if to?.value ?? ExportTarget(path: output) == .darknet {  // it then applies to the target too
      readOptions.tolerated = [.darknetFork]
      options.darknetFork = source.darknet?.value
    }
    options.isReplacing = !noClobber
    options.opset = opset
    if let layout { options.layout = layout.value }
    options.storesExternalWeights = externalData
    if let precision { options.precision = precision.value }
    options.suppressesBoxes = nms?.suppressesBoxes
    options.foldsBatchNormalization = foldBatchNorm
    options.keepsIntegers = keepIntegers
    options.specificationVersion = specVersion
    options.coreMLKind = kind?.value
    options.imageSizes = sizes?.sizes ?? []
    let model = try Model(contentsOf: file, options: readOptions)
    let report = try model.export(
      to: output, as: to?.value, options: options, cancellation: cancellation)
    general.report(report.json.namingOptions) {
      Console.message(report.files.joined(separator: "\n"))
      for loss in report.losses { Console.message("note: \(loss)") }
    }
    end(.done)
  }
}

/// The outputs of an exported detector.
enum BoxOutputs: EnumerableFlag {
  case withNMS, withoutNMS

  var suppressesBoxes: Bool { self == .withNMS }

  static func name(for value: BoxOutputs) -> NameSpecification {
    switch value {
    case .withNMS: .customLong("with-nms")
    case .withoutNMS: .customLong("without-nms")
    }
  }

  static func help(for value: BoxOutputs) -> ArgumentHelp? {
    switch value {
    case .withNMS:
      "Decode the boxes and thin them out (non-maximum suppression); the default for Core ML."
    case .withoutNMS: "Give a detector's heads as they are; the default for ONNX."
    }
  }
}
