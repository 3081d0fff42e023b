import CSystemCalls
import ImageSearch

/// Updates an index from a folder and reports problems.
struct FolderUpdate {
  let analyzer: ImageAnalyzer
  let threads: Int?
  let cancellation: Cancellation
  let general: GeneralOptions
  /// Whether each finished file is printed.
  var printsFiles = false

  func run(_ folder: String, in index: ImageIndex) throws(WeighbridgeError) -> ImageIndexUpdate {
    var options = UpdateOptions()
    options.threads = threads
    options.cancellation = cancellation
    let (isQuiet, printsFiles) = (general.quiet, printsFiles)
    options.progress = { progress in
      if printsFiles {
        Console.message("\(progress.path): \(progress.outcome.rawValue)")
      } else {
        ProgressBar(count: progress.count, isQuiet: isQuiet).show(progress.doneCount, progress.path)
      }
    }
    defer { ProgressBar(count: 2, isQuiet: isQuiet || printsFiles).clear() }
    system_keep_freed_memory()
    let update = try index.update(folder: folder, with: analyzer, options: options)
    ProgressBar(count: 2, isQuiet: isQuiet || printsFiles).clear()
    report(update)
    return update
  }

  /// Lists the files that are not images or cannot be read.
  private func report(_ update: ImageIndexUpdate) {
    for problem in update.problems {
      // The message of an image's reader already begins with the path.
      let namesPath = problem.reason.hasPrefix(problem.path)
      Console.message("error: " + (namesPath ? "" : "\(problem.path): ") + problem.reason)
    }
    if !update.problems.isEmpty {
      let total = update.imageCount + update.problems.count
      Console.message("\(update.problems.count) of \(total) images could not be read")
    }
    guard !general.quiet, !update.otherFiles.isEmpty else { return }
    let shown = update.otherFiles.prefix(3).joined(separator: ", ")
    let rest = update.otherFiles.count > 3 ? ", ..." : ""
    Console.message(
      "skipped files that are neither JPEG nor PNG images (\(update.otherFiles.count)): "
        + shown + rest)
  }
}
