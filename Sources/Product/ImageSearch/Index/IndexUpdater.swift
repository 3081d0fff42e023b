import Digests
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Analyzes new and changed files, several at once, and stores each as soon as it is finished.
final class IndexUpdater: Sendable {
  private let index: ImageIndex
  private let analyzer: ImageAnalyzer
  private let options: UpdateOptions
  private let files: [ImageFolder.File]
  private let state = Mutex(State())

  private struct State {
    var update = ImageIndexUpdate()
    var doneCount = 0
    var failure: WeighbridgeError?
  }

  init(
    _ index: ImageIndex, _ analyzer: ImageAnalyzer, _ options: UpdateOptions,
    files: [ImageFolder.File]
  ) {
    self.index = index
    self.analyzer = analyzer
    self.options = options
    self.files = files
  }

  func run() throws(WeighbridgeError) -> ImageIndexUpdate {
    let count = files.count
    // Processes that work on the same folder start at different files, so that they rarely collide.
    let start = count == 0 ? 0 : Int(getpid()) &* 7919 % count
    let workers = Workers(count: options.threads ?? Workers.processorCount)
    _ = workers.map(count) { self.analyze(self.files[($0 + start) % count]) }
    return try state.withLock { (state) throws(WeighbridgeError) in
      if let failure = state.failure { throw failure }
      state.update.otherFiles.sort()
      return state.update
    }
  }

  /// Processes a file, unless an earlier error has ended the work.
  private func analyze(_ file: ImageFolder.File) {
    guard state.withLock({ $0.failure == nil }) else { return }
    do throws(WeighbridgeError) {
      if options.cancellation?.isCancelled == true {
        throw .cancelled("stopped before all images were analyzed")
      }
      report(file, try outcome(file))
    } catch {
      state.withLock { if $0.failure == nil { $0.failure = error } }
    }
  }

  private func outcome(
    _ file: ImageFolder.File
  ) throws(WeighbridgeError) -> (UpdateProgress.Outcome, problem: String?) {
    let store: ByteStore
    do throws(WeighbridgeError) {
      store = ByteStore(try MappedFile(path: file.path))
    } catch {
      return (.unreadable, error.reason)
    }
    guard store.withBytes(ImageFormat.init(content:)) != nil else { return (.otherFile, nil) }
    let digest = try sha256(of: store)
    let (isKnown, problem) = try index.record(file, digest: digest)
    guard !isKnown else { return (problem == nil ? .known : .unreadable, problem) }
    let analysis = try analysis(of: store, file.path)
    try index.store(analysis, of: file, digest: digest)
    if case .failure(let problem) = analysis { return (.unreadable, problem.reason) }
    return (.analyzed, nil)
  }

  /// Reads and analyzes an image; a fault of the image itself is a result.
  private func analysis(
    of store: ByteStore, _ path: String
  ) throws(WeighbridgeError) -> Result<ImageAnalysis, ImageProblem> {
    let image: Image
    do throws(WeighbridgeError) {
      image = try store.withBytes { (bytes) throws(WeighbridgeError) in
        try Image(file: bytes, limits: options.limits)
      }
    } catch {
      return .failure(ImageProblem(reason: error.description))
    }
    do throws(WeighbridgeError) {
      return .success(try analyzer.analyze(image))
    } catch {
      guard error.code == .malformed else { throw error.at(file: path) }
      return .failure(ImageProblem(reason: error.reason))
    }
  }

  private func report(
    _ file: ImageFolder.File, _ result: (outcome: UpdateProgress.Outcome, problem: String?)
  ) {
    state.withLock { state in
      state.doneCount += 1
      switch result.outcome {
      case .analyzed: state.update.analyzedCount += 1
      case .known: state.update.knownCount += 1
      case .unreadable:
        state.update.problems.append(.init(path: file.path, reason: result.problem ?? ""))
      case .otherFile: state.update.otherFiles.append(file.path)
      }
      options.progress?(
        UpdateProgress(
          path: file.path, outcome: result.outcome, doneCount: state.doneCount,
          count: files.count))
    }
  }
}
