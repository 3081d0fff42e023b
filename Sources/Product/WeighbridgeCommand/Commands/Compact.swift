import ArgumentParser
import Weighbridge

/// `weighbridge compact`
struct Compact: CancellableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Writes a model as a smaller .wbm file, and says what that costs.",
    discussion: """
      Without a budget nothing is lost: every number is restored bit for bit. With one, weights \
      become integers, and what that does to the outputs is measured and stored in the file. The \
      error of an output is ||actual - expected|| / ||expected||. If the model or a YOLO head ends in a \
      softmax or sigmoids, it is measured on the scores before them.

      The error that is stated is what at most 1 in 20 inputs that played no part should exceed: it is \
      measured on several kinds of inputs, in part unlike those that rounding learned from, and \
      extrapolated, the further the fewer they are.

      Examples are images or files of arrays, or folders of either. Some of those that are given for \
      calibration are held out for the measurement, unless others are given for it. Models of \
      images get generated ones in addition; without any examples, all are generated.

      Examples:
        weighbridge compact yolov3-tiny.cfg -o yolov3-tiny.wbm
        weighbridge compact yolov3-tiny.cfg --max-error 0.01 --calibration photos/ -o small.wbm
        weighbridge compact yolov3-tiny.cfg --activations int8 --calibration photos/ -o fast.wbm
      """)

  @Argument(help: "The model, of any format that can be read.")
  var file: String

  @Option(
    name: .customShort("o"), help: ArgumentHelp("The file that is written.", valueName: "out.wbm"))
  var path: String

  @OptionGroup var writing: WritingOptions

  @OptionGroup(title: "Budget") var budget: BudgetOptions
  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Description") var description: DescriptionOptions
  @OptionGroup var threading: ThreadOptions
  @OptionGroup var general: GeneralOptions

  func validate() throws { try budget.check() }

  func run(_ cancellation: Cancellation) throws {
    let model = try description.describedModel(file, source)
    let compacted = try budget.compacted(
      model, from: file, general.runOptions(cancellation, threads: threading),
      isQuiet: general.quiet)
    try compacted.write(to: path, options: writing.options(cancellation))
    let inspection = try Inspection(of: path)
    general.report(inspection.json.namingOptions) {
      Console.message(compacted.sizeLine(path))
      for line in CompactionSummary(inspection, of: compacted).lines { Console.message(line) }
    }
    end(.done)
  }
}
