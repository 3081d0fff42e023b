import Bytes
import ConversionCore
import FormatRegistry
import Foundation
import GraphIR
import LayerCatalog
import TestSupport
import Testing

/// Holds the nodes of all models in `Samples` to the definitions of their operators, and the types
/// that the shape rules give their outputs to the element types that the definitions say.
@Suite struct SampleDefinitionTests {
  /// The folders whose files are no models, or are meant to be refused.
  private static let others: Set = ["Hostile", "Pictures", "Architectures"]

  /// The files that are not read as they are, each with the reason; `make generate` renews the list.
  private static let list =
    "\(Paths.project)/Tests/Conversion/ConversionTests/Files/samples-not-read.txt"

  /// The files of `Samples` that may hold models, by their paths in it.
  private static let files: [String] = {
    let extensions: Set = ["h5", "keras", "onnx", "mlmodel", "cfg", "wbm", "safetensors"]
    let all = FileManager.default.enumerator(atPath: Paths.sample(""))
    return (all?.compactMap { $0 as? String } ?? []).filter { path in
      let parts = path.split(separator: "/")
      let name = parts.last?.split(separator: ".") ?? []
      let isFile = name.count > 1 && extensions.contains(String(name[name.count - 1]))
      return isFile && !others.contains(String(parts[0]))
    }.sorted()
  }()

  /// What became of a file.
  private enum Outcome: Sendable {
    case read(nodes: Int, problems: [String])
    case refused(String)
  }

  private static func outcome(_ path: String) -> Outcome {
    var options = ReadOptions()
    switch path.split(separator: ".").last ?? "" {
    case "cfg" where !Files.isWeighted(path): options.randomWeights = 1
    case "h5", "keras": options.keepUnknown = true
    default: break
    }
    do throws(WeighbridgeError) {
      let graph = try ModelReader.read(Paths.sample(path), options: options).content.graph
      return .read(nodes: graph.nodes.count, problems: graph.definitionProblems)
    } catch {
      let line = error.reason.split(separator: "\n").first.map(String.init) ?? ""
      return .refused(line.replacing(Paths.project, with: ""))
    }
  }

  @Test("Every node of every sample fulfills its operator's definition; no sample is skipped")
  func definitions() throws {
    let files = Self.files
    let outcomes = Workers(count: Workers.processorCount).map(files.count) {
      Self.outcome(files[$0])
    }
    var (nodes, refused) = (0, [String]())
    for (file, outcome) in zip(files, outcomes) {
      switch outcome {
      case .read(let count, let problems):
        nodes += count
        #expect(problems == [], "\(file)")
        #expect(count > 0, "\(file)")
      case .refused(let reason): refused.append("\(file) | \(reason)\n")
      }
    }
    #expect(files.count >= 970)
    #expect(nodes >= 3000)
    #expect(refused.count * 10 < files.count)
    if ProcessInfo.processInfo.environment["WEIGHBRIDGE_GENERATE"] == "1" {
      try Files.write(refused.joined().utf8, to: Self.list)
    }
    let listed = String(decoding: try Files.read(Self.list), as: UTF8.self)
    #expect(refused.joined() == listed)
  }
}

extension Files {
  /// Whether a network of darknet has weights beside it.
  fileprivate static func isWeighted(_ path: String) -> Bool {
    let parts = path.split(separator: "/")
    let stem = parts.last?.split(separator: ".").first ?? ""
    let folder = Paths.sample(parts.dropLast().joined(separator: "/"))
    return names(in: folder).contains("\(stem).weights")
  }
}
