import TFLiteFormat
import TestSupport

/// The parts of a `.tflite` file, for tests of what we write.
struct TFLiteFile {
  let bytes: [UInt8]
  private let root: FlatBufferView

  init(_ path: String) throws {
    bytes = [UInt8](try Files.read(path))
    root = FlatBufferView(bytes)
  }

  /// The graph.
  var graph: FlatBufferView { root.tables(2)[0] }

  /// The names and versions of the operators, in order.
  var operators: [String] {
    let codes = root.tables(1).map { code in
      TFLiteBuiltin(rawValue: code.integer(3) ?? 0).map { "\($0) \(code.integer(2) ?? 1)" } ?? "?"
    }
    return graph.tables(3).map { codes[$0.integer(0) ?? 0] }
  }

  /// The entries beside the graph, by name.
  var entries: [String: [UInt8]] {
    let buffers = root.tables(4)
    return Dictionary(
      root.tables(6).map { ($0.string(0) ?? "", buffers[$0.integer(1) ?? 0].data(0)) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The oldest runtime.
  var runtime: String? {
    entries["min_runtime_version"].map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
