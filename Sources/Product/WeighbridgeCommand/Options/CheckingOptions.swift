import ArgumentParser
import Weighbridge

/// The tolerance of comparisons, and the number of threads.
struct CheckingOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The absolute part of the tolerance.", valueName: "x"))
  var atol: Double?

  @Option(
    help: ArgumentHelp(
      "The part relative to the largest magnitude of the expected output.", valueName: "x"))
  var rtol: Double?

  @OptionGroup var threading: ThreadOptions

  func validate() throws {
    for value in [atol, rtol].compactMap({ $0 }) where !(value >= 0) {
      throw ValidationError("--atol and --rtol must be 0 or more")
    }
  }

  /// The tolerance, when a part of it is given; the other part is that of float32.
  var tolerance: Tolerance? {
    guard atol != nil || rtol != nil else { return nil }
    let standard = Tolerance.standard(for: .float32)
    return Tolerance(absolute: atol ?? standard.absolute, relative: rtol ?? standard.relative)
  }
}
