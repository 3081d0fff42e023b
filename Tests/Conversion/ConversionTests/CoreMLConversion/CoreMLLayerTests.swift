import Bytes
import ConversionCore
import CoreMLConversion
import Foundation
import GraphIR
import KerasConversion
import ReferenceRuntime
import TestSupport
import Testing
import _CatalogTesting

/// Every kind of layer that Core ML's schema has, whether it can be read or not, over inputs of every
/// rank. A layer that goes on for ever, or ends the process, fails these tests.
@Suite struct CoreMLLayerTests {
  /// The kinds of layers in `Schemas/coreml.proto`: their names and numbers.
  private static let kinds: [Int: String] = {
    guard let file = try? Files.read("\(Paths.project)/Schemas/coreml.proto") else { return [:] }
    let schema = String(decoding: file, as: UTF8.self)
    guard let start = schema.range(of: "oneof layer {")?.upperBound,
      let end = schema[start...].range(of: "}")?.lowerBound
    else { return [:] }
    var kinds: [Int: String] = [:]
    for line in schema[start..<end].split(separator: ";") {
      let words = line.split(whereSeparator: \.isWhitespace)
      if words.count == 4, let number = Int(words[3]) { kinds[number] = String(words[1]) }
    }
    return kinds
  }()

  @Test("All kinds of layers are in the schema")
  func schema() {
    #expect(Self.kinds.count == 158)
    #expect(Self.kinds[175] == "softmax" && Self.kinds[1471] == "convolution3d")
    #expect(CoreMLLayerFile.seeds.allSatisfy { Self.kinds[$0.kind] != nil })
  }

  @Test(
    "Every layer of every rank is read and runs, or is refused with a reason",
    arguments: kinds.sorted { $0.key < $1.key }.map(\.key))
  func everyRank(_ kind: Int) throws {
    var (isKnown, isRead) = (false, false)
    for file in CoreMLLayerFile.all(kind, versions: 1...10) {
      do {
        let source = try CoreMLSource(
          ByteStore(file.bytes), path: "m.mlmodel", options: ReadOptions(),
          custom: CustomLayerPolicy())
        let graph = try source.content().graph
        isRead = true
        if file.version == 4 { try run(graph, "\(file)") }
      } catch let error as WeighbridgeError {
        #expect([.malformed, .unsupported].contains(error.code), "\(file): \(error)")
        #expect(error.description.hasPrefix("m.mlmodel: "), "\(file): \(error)")
        #expect(error.reason.contains(" "), "\(file): \(error)")
        let isUnknown = ["of a kind that cannot be read", "which cannot be read"].contains {
          error.reason.contains($0)
        }
        isKnown = isKnown || !isUnknown && error.place.layer != nil
      }
    }
    let name = Self.kinds[kind] ?? ""
    #expect(isRead || !isKnown || Self.needsMore[name] != nil, "\(name) is never read")
  }

  /// The kinds that are not read here for any input, and why.
  private static let needsMore = [
    "custom": "says nothing of what it computes",
    "embedding": "takes indices whose last axes have one element",
  ]

  /// Runs a graph; the outputs must be of the types that the graph says.
  private func run(_ graph: Graph, _ file: String) throws {
    let inputs = graph.inputs.map { port in
      let type = graph[port.value].type
      let shape = type.fixedShape ?? []
      return Tensor(type.elementType, shape: shape, shape.reduce(1, *) == 0 ? [] : ones(shape))
    }
    do throws(WeighbridgeError) {
      let outputs = try ReferenceRuntime(workers: Workers(count: 1)).run(
        graph, inputs: inputs
      ) { _ throws(WeighbridgeError) in }
      for (port, output) in zip(graph.outputs, outputs) {
        let type = graph[port.value].type
        #expect(type.agrees(with: output.type), "\(file): \(type)")
      }
    } catch { #expect(!error.reason.isEmpty, "\(file)") }
  }

  private func ones(_ shape: [Int]) -> [Double] {
    [Double](repeating: 1, count: shape.reduce(1, *))
  }
}
