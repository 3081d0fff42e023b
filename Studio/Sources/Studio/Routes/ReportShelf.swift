import Foundation
import Synchronization

/// The last reports, in memory: a page shows one in a frame of its own.
final class ReportShelf: Sendable {
  private static let countLimit = 4
  private let reports = Mutex<[(id: String, page: [UInt8])]>([])

  /// Keeps a report and forgets the oldest of too many.
  ///
  /// - Returns: Its name.
  func add(_ page: [UInt8]) -> String {
    let id = UUID().uuidString
    reports.withLock { reports in
      reports.append((id, page))
      reports.removeFirst(max(0, reports.count - Self.countLimit))
    }
    return id
  }

  /// A report, as long as it is kept.
  func page(_ id: String) -> [UInt8]? {
    reports.withLock { $0.first { $0.id == id }?.page }
  }
}
