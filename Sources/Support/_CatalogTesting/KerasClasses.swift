import Foundation

/// The layer classes of Keras with the generations that have them, as `Samples/Layers/classes.txt`
/// lists them.
enum KerasClasses {
  /// Each class with its generations, by name; none where the samples are not beside the sources.
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
