import CSystemCalls
import GraphIR
import JSON
import Vision
import Weighbridge

/// Processes image files, several at once, and prints a result for each, in their order.
struct ImageBatch {
  /// The printed result for an image.
  struct Result {
    let json: JSONValue
    let text: String
  }

  let general: GeneralOptions
  /// The number of images that are processed at once.
  let threads: Int
  /// The exit status when some of several images could not be read.
  var failureStatus = ExitStatus.checkFailed
  /// Returns the result for an image that could not be read; `nil` for none.
  var failure: (_ path: String, _ error: WeighbridgeError) throws -> JSONValue? = { _, _ in nil }

  /// Returns the image files among files and in folders, and reports other files in the folders.
  static func files(
    _ arguments: [String], _ general: GeneralOptions
  ) throws(WeighbridgeError) -> [String] {
    let images = try ImageFiles(arguments)
    if !general.quiet {
      for path in images.others {
        Console.message("\(path): is neither a JPEG nor a PNG image; passed over")
      }
    }
    return images.paths
  }

  /// Processes all images. One of several that cannot be read is reported, and the others are
  /// processed.
  ///
  /// - Parameters:
  ///   - process: Processes an image, given its path and index; called by several threads.
  ///   - result: Returns the printed result; called for one image after the other, in order.
  /// - Throws: ``failureStatus`` at the end when one of several images could not be read; the error
  ///   itself for a single image, and for every error that is not the image's fault.
  func run<Value: Sendable>(
    _ paths: [String],
    _ process: @escaping @Sendable (Image, String, Int) throws(WeighbridgeError) -> Value,
    then result: (Image, Value, String) throws -> Result
  ) throws {
    var results: [JSONValue] = []
    var failureCount = 0
    let progress = ProgressBar(count: paths.count, isQuiet: general.quiet)
    progress.show(0, paths.first ?? "")
    if paths.count > 1 { system_keep_freed_memory() }
    try Workers(count: threads).forEach(paths.count) { position in
      Outcome(paths[position]) { (image) throws(WeighbridgeError) in
        try process(image, paths[position], position)
      }
    } then: { position, outcome in
      progress.clear()
      let path = paths[position]
      switch outcome {
      case .unreadable(let error):
        guard paths.count > 1 else { throw error }
        Console.message("error: \(error)")
        failureCount += 1
        if let result = try failure(path, error) { results.append(result) }
      case .failed(let error): throw error
      case .processed(let image, let value):
        let result = try result(image, value, path)
        if general.json { results.append(result.json) } else { Console.printLine(result.text) }
      }
      if position + 1 < paths.count { progress.show(position + 1, paths[position + 1]) }
    }
    if general.json { Console.printLine(JSONValue.array(results).text(indented: true)) }
    guard failureCount == 0 else {
      Console.message("\(failureCount) of \(paths.count) images could not be read")
      throw failureStatus
    }
  }
}

extension ImageBatch {
  /// The outcome for an image.
  private enum Outcome<Value: Sendable>: Sendable {
    case processed(Image, Value)
    /// A fault of the image itself.
    case unreadable(WeighbridgeError)
    case failed(WeighbridgeError)

    /// Reads and processes an image.
    init(_ path: String, _ process: (Image) throws(WeighbridgeError) -> Value) {
      let image: Image
      do throws(WeighbridgeError) {
        image = try Image(contentsOf: path)
      } catch {
        self = .unreadable(error)
        return
      }
      do throws(WeighbridgeError) {
        self = .processed(image, try process(image))
      } catch {
        self = .failed(error.at(file: path))
      }
    }
  }
}
