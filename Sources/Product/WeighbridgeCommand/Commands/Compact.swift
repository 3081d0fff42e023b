import ArgumentParser
import Dispatch
import JSON
import Weighbridge

/// `weighbridge compact`
struct Compact: GeneralCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes a model as a smaller .wbm file, and says what that costs.",
    discussion: """
      Nothing is lost: every number comes back bit by bit.

      Example:
        weighbridge compact yolov3-tiny.cfg -o yolov3-tiny.wbm
      """)

  @Argument(help: "The model, of any format that can be read.")
  var file: String

  @Option(
    name: .customShort("o"), help: ArgumentHelp("The file that is written.", valueName: "out.wbm"))
  var path: String

  @Flag(help: "Refuse to replace an existing file.")
  var noClobber = false

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup var use: ThreadOptions
  @OptionGroup var general: GeneralOptions

  func run() throws {
    let (cancellation, signals) = Interrupts.cancellation()
    defer { signals.cancel() }
    var options = CompactOptions()
    options.run.cancellation = cancellation
    options.run.threads = use.threads
    options.run.memoryLimit = general.memoryLimit?.bytes
    var reading = source.readOptions
    reading.preparesWriting = true
    let model = try Model(contentsOf: file, options: reading)
    let isQuiet = general.quiet
    options.progress = { ProgressBar(count: $0.count, isQuiet: isQuiet).show($0.done, $0.step) }
    defer { ProgressBar(count: 2, isQuiet: isQuiet).clear() }
    let compact = try locating({ $0.at(file: file) }) { () throws(WeighbridgeError) in
      try model.compacted(options)
    }
    ProgressBar(count: 2, isQuiet: isQuiet).clear()
    try compact.write(to: path, replacing: !noClobber, cancellation: cancellation)
    try report(try Inspection(of: path), of: compact)
    end(.done)
  }

  private func report(_ inspection: Inspection, of model: Model) throws {
    if general.json {
      return Console.printLine(try inspection.json.text(indented: true))
    }
    if general.quiet { return }
    Console.message(model.sizeLine(path))
    let stored = inspection.encodings.reduce(0) { $0 + $1.byteCount }
    Console.message(
      "\(inspection.weightByteCount.grouped) bytes of weights in \(stored.grouped)")
    for encoding in inspection.encodings { Console.message(encoding.line) }
    for line in inspection.compaction?.lines ?? [] { Console.message(line) }
  }
}
