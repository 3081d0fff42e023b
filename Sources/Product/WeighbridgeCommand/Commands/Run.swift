import ArgumentParser
import CSystemCalls
import JSON
import Weighbridge

/// `weighbridge run`
struct Run: CancellableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Computes a model's outputs.",
    discussion: """
      Example:
        weighbridge run tinyyolo.wbm --inputs input.npy --outputs outputs.npz

      Without --inputs it prints the names, shapes and types of the arrays that the model takes, and \
      how to make them. To try a model out without any:
        weighbridge run tinyyolo.wbm --inputs random:1 --repeat 10
      """)

  @Argument(help: "The model, of any format that can be read.")
  var file: String

  @Option(
    help: ArgumentHelp(
      """
      Arrays for the inputs, by name or by order (.npy, .npz). Or generated: random:SEED (numbers \
      from 0 to 1, or integers that the model accepts) or ones (all 1); unknown dimensions are \
      then 1 for the batch and 32 elsewhere.
      """, valueName: "file"))
  var inputs: InputsArgument?

  @Option(
    help: ArgumentHelp("Where the outputs go (.npz, or .npy for one).", valueName: "file"))
  var outputs: String?

  @OptionGroup var running: EngineOptions

  @Flag(help: "Write the output of every layer too.")
  var layers = false

  @Option(name: .customLong("repeat"), help: ArgumentHelp("Run again and time it.", valueName: "n"))
  var repetitions: Int?

  @Flag(help: "Print the time of every layer.")
  var profile = false

  @OptionGroup var threading: ThreadOptions
  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup var progress: ProgressOptions
  @OptionGroup var general: GeneralOptions

  func validate() throws {
    if let repetitions, repetitions < 1 {
      throw ValidationError("--repeat must be 1 or more")
    }
    guard inputs == nil || outputs != nil || repetitions != nil || profile else {
      throw ValidationError("say where the outputs go: --outputs FILE")
    }
    guard !profile || repetitions == nil || !general.json else {
      throw ValidationError("--profile and --repeat print a document of JSON each")
    }
    guard !layers || outputs != nil else { throw ValidationError("--layers needs --outputs FILE") }
  }

  func run(_ cancellation: Cancellation) throws {
    var options = general.runOptions(cancellation, threads: threading, progress: progress)
    options.engine = running.engine?.value ?? .cpu
    let model =
      try inputs == nil
      ? modelWithoutInputs() : Model(contentsOf: file, options: source.readOptions)
    let arrays = try inputs?.arrays(for: model) ?? []
    if case .generated = inputs, !general.quiet {
      for array in arrays { Console.message("generated: \(array.name) \(array.tensor.type)") }
    }
    let session = try model.session(options)
    // The weights are ready; releasing the 10 MB of code that prepared them frees memory for
    // activations.
    if !layers, try session.activationMemory(for: arrays) != nil { system_release_code() }
    let result =
      try layers
      ? model.run(arrays, keepsLayers: true, options: options) : session.run(arrays)
    if !general.quiet, let reason = result.slownessReason { Console.message(reason) }
    if let outputs {
      let names = Set(result.outputs.map(\.name))
      let others = result.layers.filter { !names.contains($0.name) }
      try ArrayFile.write(result.outputs + others, to: outputs)
    }
    if profile {
      // The first run also prepares weights and touches memory for the first time.
      let table = try session.profile(arrays)
      Console.printLine(general.json ? table.json.text(indented: true) : table.text)
    }
    if let repetitions {
      try time(session, arrays, options, repetitions)
    } else if general.json, !profile {
      Console.printLine(result.json.text(indented: true))
    } else if !profile, !general.quiet {
      for output in result.outputs {
        Console.message("\(output.name) \(output.tensor.type)")
      }
    }
  }

  /// The model, if it takes no inputs.
  ///
  /// - Throws: The status after printing which inputs are needed, or that the model cannot be read.
  private func modelWithoutInputs() throws(ExitStatus) -> Model {
    do throws(WeighbridgeError) {
      let model = try Model(contentsOf: file, options: source.readOptions)
      if model.inputs.isEmpty { return model }
      let isComplete = outputs != nil || repetitions != nil || profile
      Console.message(
        model.inputsHelp(
          file, command: Array(CommandLine.arguments.dropFirst()),
          options: isComplete ? "" : " --outputs outputs.npz"))
    } catch {
      Console.message(
        "say what the model computes on: --inputs FILE, --inputs random:SEED or --inputs ones\n"
          + "The model cannot be read either: \(error)")
    }
    throw .usage
  }

  /// Runs the model repeatedly, after the first run as a warm-up, and prints the times.
  private func time(
    _ session: Session, _ arrays: [NamedTensor], _ options: RunOptions, _ count: Int
  ) throws {
    var milliseconds: [Double] = []
    for _ in 0..<count {
      let start = ContinuousClock.now
      _ = try session.run(arrays)
      milliseconds.append((ContinuousClock.now - start) / .milliseconds(1))
    }
    let timing = Timing(milliseconds.sorted(), threads: options.threadCount)
    Console.printLine(general.json ? timing.json.text(indented: true) : timing.text)
  }
}
