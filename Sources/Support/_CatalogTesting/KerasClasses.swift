import Foundation

/// The layer classes of Keras with the Keras versions that have them, from
/// `Samples/Layers/classes.txt`.
enum KerasClasses {
  /// Each class with its versions, by name; empty if the samples are not next to the sources.
  static let all: [(name: String, generations: Set<Int>)] = {
    let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent()
    }
    let list = root.appending(path: "Samples/Layers/classes.txt")
    let lines = (try? String(contentsOf: list, encoding: .utf8)) ?? ""
    return lines.split(separator: "\n").map { line in
      let words = line.split(separator: " ")
      return (String(words[0]), Set(words.dropFirst().compactMap { Int($0) }))
    }
  }()
}
