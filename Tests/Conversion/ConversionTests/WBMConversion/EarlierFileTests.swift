import Bytes
import GraphIR
import TestSupport
import Testing
import Weighbridge

/// `Samples/WBM/0.2.0`: the files of all operators that version 0.2.0 had, as it wrote them.
@Suite struct EarlierFileTests {
  private static let folder = Paths.sample("WBM/0.2.0")

  /// The distance of adjacent float32 numbers around 1: the mathematical functions of another system may
  /// round otherwise.
  private static let unit = Double(Float(1).ulp)

  @Test("Files of version 0.2.0 are read, and compute the numbers that they hold")
  func numbers() throws {
    var options = RunOptions()
    options.engine = .reference
    let files = Files.names(in: Self.folder).sorted()
    var count = 0
    for file in files {
      let model = try Model(contentsOf: "\(Self.folder)/\(file)")
      let set = try #require(model.references.first)
      let inputs = set.inputs.map { NamedTensor(name: $0.name, tensor: $0.tensor) }
      let outputs = try model.run(inputs, options: options).outputs
      #expect(outputs.map(\.name) == set.outputs.map(\.name), "\(file)")
      for (output, expected) in zip(outputs, set.outputs) {
        count += 1
        let pairs = zip(output.tensor.doubles, expected.tensor.doubles)
        let isSame = pairs.allSatisfy {
          $0 == $1 || $0.isNaN && $1.isNaN || abs($0 - $1) <= Self.unit * max(1, abs($1))
        }
        #expect(isSame && output.tensor.type == expected.tensor.type, "\(file): \(output.name)")
      }
    }
    #expect(files.count == 123 && count == 452)
  }

  @Test("The default engine computes them, too", arguments: Files.names(in: folder).sorted())
  func verifies(file: String) throws {
    let report = try Model(contentsOf: "\(Self.folder)/\(file)").verify()
    #expect(report.passed, "\(report.results.filter { $0.status == .failed })")
  }
}
