import JSON
import Vision
import Weighbridge

/// Goes through image files in their order and prints a result for each.
struct ImageBatch {
  /// What is printed for an image.
  struct Result {
    let json: JSONValue
    let text: String
  }

  let general: GeneralOptions
  /// The exit status when some of several images could not be read.
  var failureStatus = ExitStatus.checkFailed
  /// What stands in the list of results for an image that could not be read; nothing when `nil`.
  var failure: (_ path: String, _ error: WeighbridgeError) throws -> JSONValue? = { _, _ in nil }

  /// Looks into folders, and names what lies there and is no image.
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

  /// Does all images; one that cannot be read among several is named, and the others are done.
  ///
  /// - Parameter body: Computes the result for an image, its path and its position.
  /// - Throws: ``failureStatus`` at the end when an image of several could not be read; the error
  ///   itself for a single one, and for everything that is not the image's fault.
  func run(_ paths: [String], _ body: (Image, String, Int) throws -> Result) throws {
    var results: [JSONValue] = []
    var failureCount = 0
    let progress = ProgressBar(count: paths.count, isQuiet: general.quiet)
    for (position, path) in paths.enumerated() {
      progress.show(position, path)
      let image: Image
      do throws(WeighbridgeError) {
        image = try Image(contentsOf: path)
      } catch {
        guard paths.count > 1 else { throw error }
        progress.clear()
        Console.message("error: \(error)")
        failureCount += 1
        if let result = try failure(path, error) { results.append(result) }
        continue
      }
      let result = try body(image, path, position)
      if general.json {
        results.append(result.json)
      } else {
        progress.clear()
        Console.printLine(result.text)
      }
    }
    progress.clear()
    if general.json { Console.printLine(JSONValue.array(results).text(indented: true)) }
    guard failureCount == 0 else {
      Console.message("\(failureCount) of \(paths.count) images could not be read")
      throw failureStatus
    }
  }
}
