import ArgumentParser
import Weighbridge

/// `weighbridge cut`
struct Cut: CancellableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cut",
    abstract: "Writes a part of a model as a model.",
    discussion: """
      The part computes the layers that --output names, from the model's inputs or from the \
      outputs of the layers that --input names, which then become inputs of the \
      part. Names are those that `inspect --layers` \
      shows; inputs and outputs of the model may be named too. Reference arrays of the layers are \
      kept; where there are none, they are computed and the file says so.

      Examples:
        weighbridge cut sketches.h5 --output dense_1 -o features.wbm
        weighbridge cut tinyyolo.wbm --input maxpool_3 --output conv_5 -o middle.wbm
      """)

  @Argument(help: "The model, of any format that can be read.")
  var file: String

  @Option(
    name: .customLong("output"),
    help: ArgumentHelp(
      "The layer or output whose result the part gives. May be repeated.", valueName: "layer"))
  var ends: [String]

  @Option(
    name: .customLong("input"),
    help: ArgumentHelp(
      """
      The layer or input whose result the part takes; by default the inputs that it needs. May be \
      repeated.
      """, valueName: "layer"))
  var starts: [String] = []

  @Option(
    name: .customShort("o"), help: ArgumentHelp("The file that is written.", valueName: "out.wbm"))
  var path: String

  @OptionGroup var writing: WritingOptions

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup var general: GeneralOptions

  func run(_ cancellation: Cancellation) throws {
    var options = RunOptions()
    options.cancellation = cancellation
    let model = try Model(contentsOf: file, options: source.readOptions)
    let part = try locating({ $0.at(file: file) }) { () throws(WeighbridgeError) in
      try model.cut(to: ends, from: starts, options: options)
    }
    try part.write(to: path, options: writing.options(cancellation))
    try general.report(Inspection(of: path).json.namingOptions) {
      Console.message(part.sizeLine(path))
      for port in part.inputs { Console.message("takes \(port.name), \(port.type)") }
      for port in part.outputs { Console.message("gives \(port.name), \(port.type)") }
      for set in part.references { Console.message("reference outputs by \(set.author)") }
    }
    end(.done)
  }
}
