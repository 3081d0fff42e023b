import ArgumentParser
import Bytes
import JSON
import Weighbridge

/// `weighbridge export`
struct Export: CancellableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes a model in the format of another tool.",
    discussion: """
      Formats: coreml (an .mlmodel), darknet (a .cfg, with a .weights file beside it), onnx, keras \
      (a .keras file of Keras 3), keras-h5 (an .h5 file of Keras 2.15), ncnn (a .param, with a .bin \
      file beside it), tflite, tfjs, pytorch (a .py with a module, and a .safetensors beside it), and the \
      weights alone as safetensors or npz. A layer that the format cannot \
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
        weighbridge export tinyyolo.wbm -o net.py
      """)

  @Argument(help: "The model, of any format that can be read.")
  var file: String

  @Option(name: .shortAndLong, help: ArgumentHelp("The output.", valueName: "file"))
  var output: String

  @Option(
    help: ArgumentHelp(
      """
      The format: coreml (a package where the output ends in .mlpackage), darknet, onnx, keras, keras-h5, \
      ncnn, tflite, tfjs, pytorch, safetensors or npz. By default inferred from the output's extension.
      """,
      valueName: "format"))
  var to: EnumArgument<ExportFormat>?

  @OptionGroup(title: "Options of formats") var target: TargetOptions
  @OptionGroup var writing: WritingOptions
  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup var general: GeneralOptions

  func run(_ cancellation: Cancellation) throws {
    var readOptions = source.readOptions
    var options = target.exportOptions
    // The fork then applies to the target too.
    if to?.value ?? ExportFormat(path: output) == .darknet {
      readOptions.tolerated = [.darknet]
      options.darknet = source.darknet?.value
    }
    let model = try Model(contentsOf: file, options: readOptions)
    let report = try model.export(
      to: output, as: to?.value, options: options, writing: writing.options(cancellation))
    general.report(report.json.namingOptions) {
      Console.message(report.files.joined(separator: "\n"))
      for note in report.notes { Console.message("note: \(note)") }
    }
    end(.done)
  }
}
