import Foundation
import TestSupport
import Testing
import Weighbridge

/// A row of the article's table.
struct ShippedNetwork: CustomTestStringConvertible, Sendable {
  let name: String
  let fork: String
  let layers: Int
  let parameters: Int
  let outputs: [String]

  var testDescription: String { name }

  /// The folder with the files.
  static let folder = ProcessInfo.processInfo.environment["DARKNET_CFG"]

  /// The file; `nil` when the folder does not have it.
  var path: String? {
    ["", "/AlexeyAB", "/pjreddie"].map { "\(Self.folder ?? "")\($0)/\(name).cfg" }
      .first { FileManager.default.isReadableFile(atPath: $0) }
  }

  static let all: [ShippedNetwork] = {
    let article = "\(Paths.project)/Sources/Product/Weighbridge/Weighbridge.docc/DarknetModels.md"
    let text = (try? Files.read(article)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return text.split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 5, let layers = Int(cells[2]),
        let parameters = Int(cells[3].replacing(",", with: ""))
      else { return nil }
      return ShippedNetwork(
        name: cells[0], fork: cells[1], layers: layers, parameters: parameters,
        outputs: cells[4].components(separatedBy: ", "))
    }
  }()
}

/// The networks that darknet ships, as the article on darknet models lists them.
@Suite(
  .enabled(
    if: ShippedNetwork.folder != nil,
    "needs darknet's cfg folder (DARKNET_CFG, with the files or with AlexeyAB and pjreddie inside)")
)
struct ShippedDarknetTests {
  @Test("The article lists the networks")
  func count() {
    #expect(ShippedNetwork.all.count == 29)
  }

  @Test(
    "A network converts to the layers, parameters and outputs in the table",
    arguments: ShippedNetwork.all)
  func converts(_ network: ShippedNetwork) throws {
    let path = try #require(network.path)
    var options = ReadOptions()
    options.randomWeights = 1
    let model = try Model(contentsOf: path, options: options)
    #expect(model.provenance.options["darknet"] == network.fork)
    let weights = model.content.graph.weights
    #expect(weights.reduce(0) { $0 + $1.tensor.count } == network.parameters)
    let outputs = model.outputs.map { port in
      let shape = port.type.fixedShape ?? []
      return (shape.count == 4 ? [shape[3], shape[2], shape[1]] : Array(shape.dropFirst()))
        .map(String.init).joined(separator: " x ")
    }
    #expect(outputs == network.outputs)
    let sections = String(decoding: try Files.read(path), as: UTF8.self).split(separator: "\n")
      .count { $0.trimmingCharacters(in: .whitespaces).hasPrefix("[") }
    #expect(sections - 1 == network.layers)
  }
}
