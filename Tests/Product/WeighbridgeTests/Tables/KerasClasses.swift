import Foundation
import TestSupport

/// The layer classes of Keras, with the major versions that have them, from
/// `Samples/Layers/classes.txt`.
enum KerasClasses {
  /// Each class with its major versions; empty if the samples are not next to the sources.
  static let all: [(name: String, generations: Set<Int>)] = {
    let path = Paths.sample("Layers/classes.txt")
    let lines = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return lines.split(separator: "\n").map { line in
      let fields = line.split(separator: " ")
      return (String(fields[0]), Set(fields.dropFirst().compactMap { Int($0) }))
    }
  }()
}
