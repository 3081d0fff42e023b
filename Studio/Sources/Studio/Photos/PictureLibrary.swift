import Foundation
import HTTPTypes
import ImageSearch
import Synchronization

/// The pictures of a folder as a model sees them. A helper keeps the index up to date.
package final class PictureLibrary: Sendable {
  /// How far the index is.
  package struct Status: Encodable, Equatable, Sendable {
    /// Whether the folder is being looked at.
    package var isUpdating = false
    /// How many new and changed pictures are done, and how many there are.
    package var doneCount = 0, count = 0
    /// How many pictures can be found; `nil` before the first look at the folder has ended.
    package var pictureCount: Int?
    /// The pictures that cannot be read, with the reason.
    package var problems: [String] = []
    /// Why the last look at the folder failed.
    package var failure: String?
    /// How many looks at the folder found something new.
    package var revision = 0
  }

  private struct State {
    var status = Status()
    var index: ImageIndex?
    var table: (revision: Int, table: FeatureTable)?
    var lastLook: ContinuousClock.Instant?
  }

  /// The folder is not looked at more often.
  private static let interval = Duration.seconds(2)
  private static let limits = HelperProcess.Limits(memory: 4 << 30, seconds: nil)

  private let work: HelperWork.IndexWork
  private let helper: HelperProcess
  private let queue = DispatchQueue(label: "index", qos: .utility)
  private let state = Mutex(State())

  /// Makes a library; ``refresh()`` fills it.
  package init(_ work: HelperWork.IndexWork, helper: HelperProcess) {
    (self.work, self.helper) = (work, helper)
  }

  /// How far the index is.
  package var status: Status { state.withLock { $0.status } }

  /// Has a helper look at the folder again, unless one does or just did.
  package func refresh() {
    let begins = state.withLock { state in
      guard !state.status.isUpdating,
        state.lastLook.map({ $0 + Self.interval <= .now }) ?? true
      else { return false }
      state.status.isUpdating = true
      return true
    }
    if begins { queue.async { self.update() } }
  }

  private func update() {
    var (rest, last) = (Data(), IndexUpdate.Line?.none)
    let result = Result {
      try helper.run(.index(work), limits: Self.limits) { part in
        rest += part
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          last = try? JSONDecoder().decode(IndexUpdate.Line.self, from: rest[..<end])
          rest = Data(rest[(end + 1)...])
          if let last { self.note(last) }
        }
      }
    }
    state.withLock { state in
      state.lastLook = .now
      state.status.isUpdating = false
      switch result {
      case .success:
        let isNew = last?.count ?? 0 > 0 || last?.pictureCount != state.status.pictureCount
        if isNew { state.status.revision += 1 }
        state.status.pictureCount = last?.pictureCount
        (state.status.problems, state.status.failure) = (last?.problems ?? [], nil)
      case .failure(let error): state.status.failure = StudioError(error).message
      }
    }
  }

  private func note(_ line: IndexUpdate.Line) {
    state.withLock { ($0.status.doneCount, $0.status.count) = (line.done, line.count) }
  }

  /// The index, as far as it is filled.
  ///
  /// - Throws: ``StudioError`` with the status 503 when there is none yet.
  func index() throws -> ImageIndex {
    try state.withLock { state in
      if let index = state.index { return index }
      guard let index = try? ImageIndex(contentsOf: work.database) else {
        if let failure = state.status.failure {
          throw StudioError(.unprocessableContent, failure)
        }
        throw StudioError(
          .serviceUnavailable, "The pictures are being looked at; try again.", retryAfter: 1)
      }
      state.index = index
      return index
    }
  }

  /// The feature vectors.
  func featureTable() throws -> FeatureTable {
    let (revision, known) = state.withLock { ($0.status.revision, $0.table) }
    if let known, known.revision == revision { return known.table }
    let table = try index().featureTable()
    state.withLock { $0.table = (revision, table) }
    return table
  }
}
