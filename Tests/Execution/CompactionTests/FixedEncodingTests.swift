import Bytes
import GraphIR
import LayerCatalog
import TestSupport
import Testing
import Vision
import Weighbridge

@testable import Compaction

@Suite struct FixedEncodingTests {
  private static func weight(_ shape: [Int]) -> CompactableWeight {
    var generator = SplitMix64(seed: 1)
    let numbers = (0..<shape.reduce(1, *)).map { _ in
      Double(GeneratedImage.gaussian(&generator))
    }
    return CompactableWeight(
      id: ValueID(0), name: "", tensor: Tensor(.float32, shape: shape, numbers), outputAxes: [0],
      inputAxes: Array(1..<shape.count), groups: 1, sources: [])
  }

  private static func fixed(_ weight: CompactableWeight) -> FixedWeight {
    let workers = Workers(count: 2)
    return FixedWeight(
      weight: weight, basis: RoundingBasis(weight, nil, workers: workers), workers: workers)
  }

  @Test(arguments: FixedEncoding.all)
  func `an encoding's name reads back as the encoding`(_ encoding: FixedEncoding) {
    #expect(FixedEncoding(name: encoding.name) == encoding)
  }

  @Test(arguments: [
    "", "int1", "int9", "int08", "palette0", "palette9", "float32", "INT8", "int4-block3",
  ])
  func `other names are refused`(_ name: String) {
    #expect(FixedEncoding(name: name) == nil)
  }

  @Test(arguments: [2, 4, 8])
  func `integers have a scale for each output`(_ bits: Int) throws {
    let weight = Self.weight([5, 7, 3, 3])
    let (form, tensor, size) = try #require(Self.fixed(weight).stored(as: .linear(bits: bits)))
    guard case .linear(let matrix) = form else { return #expect(Bool(false), "no integers") }
    #expect(matrix.blockShape == [1, 7, 3, 3])
    #expect(matrix.scales.count == 5)
    #expect(size == Double(bits * 315 + 5 * 32))
    let limit = 1 << (bits - 1) - 1
    #expect(matrix.integers.allSatisfy { abs(Int($0)) <= limit })
    let decoded = matrix.integers.enumerated().map { Double(Float($1) * matrix.scales[$0 / 63]) }
    #expect(decoded == tensor.doubles)
    // No single scale of the row does clearly better, of a thousand.
    let numbers = weight.tensor.doubles
    for row in 0..<5 {
      let own = Array(numbers[row * 63..<(row + 1) * 63])
      func loss(_ scale: Double) -> Double {
        own.reduce(0) {
          let integer = max(Double(-limit), min(Double(limit), ($1 / scale).rounded()))
          return $0 + ($1 - integer * scale) * ($1 - integer * scale)
        }
      }
      let largest = own.map(abs).max() ?? 0
      let best = (400...1000).map { loss(largest / Double(limit) * Double($0) / 1000) }.min() ?? 0
      #expect(loss(Double(matrix.scales[row])) <= 1.25 * best + 1e-12)
    }
  }

  @Test func `blocks have scales of their own`() throws {
    let weight = Self.weight([3, 70])
    let (form, tensor, _) = try #require(
      Self.fixed(weight).stored(as: .blocks(bits: 4, size: 32)))
    guard case .linear(let matrix) = form else { return #expect(Bool(false), "no integers") }
    #expect(matrix.blockShape == [1, 32])
    #expect(matrix.scales.count == 9)
    let decoded = matrix.integers.enumerated().map { index, integer in
      Double(Float(integer) * matrix.scales[index / 70 * 3 + index % 70 / 32])
    }
    #expect(decoded == tensor.doubles)
  }

  /// The least square error with `count` means, by trying all divisions of the sorted numbers.
  private static func leastError(_ numbers: [Double], count: Int) -> Double {
    let sorted = numbers.sorted()
    func error(_ range: Range<Int>) -> Double {
      let mean = sorted[range].reduce(0, +) / Double(range.count)
      return sorted[range].reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    }
    var least = (0...sorted.count).map { $0 == 0 ? 0 : error(0..<$0) }
    for _ in 1..<count {
      least = (0...sorted.count).map { end in
        (0..<max(1, end)).reduce(least[end]) { best, start in
          end > start ? min(best, least[start] + error(start..<end)) : best
        }
      }
    }
    return least[sorted.count]
  }

  @Test(arguments: [1, 2, 3, 4])
  func `a palette is within 0.1 % of the optimal one`(_ bits: Int) throws {
    let weight = Self.weight([6, 15])
    let (form, tensor, _) = try #require(Self.fixed(weight).stored(as: .palette(bits: bits)))
    guard case .lookup(let matrix) = form else { return #expect(Bool(false), "no table") }
    #expect(matrix.table.count == 1 << bits)
    #expect(tensor.doubles == matrix.positions.map { Double(matrix.table[Int($0)]) })
    let numbers = weight.tensor.doubles
    let error = zip(numbers, tensor.doubles).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    #expect(error <= 1.001 * Self.leastError(numbers, count: 1 << bits))
  }

  @Test func `numbers beyond float16 are not stored in it`() {
    let tensor = Tensor(.float32, shape: [2, 200], [Double](repeating: 1e6, count: 400))
    let weight = CompactableWeight(
      id: ValueID(0), name: "", tensor: tensor, outputAxes: [0], inputAxes: [1], groups: 1,
      sources: [])
    #expect(Self.fixed(weight).stored(as: .half(.float16)) == nil)
    #expect(Self.fixed(weight).stored(as: .half(.bfloat16)) != nil)
  }

  @Test func `a model can be stored in integers without running it`() throws {
    let graph = try Model(
      contentsOf: Paths.sample("Models/sketch-classifier/sketch-classifier.h5")
    ).content.graph
    let compactor = Compactor(graph, workers: Workers(count: 2))
    let result = try compactor.compact(as: .linear(bits: 8))
    #expect(result.errors == nil)
    #expect(result.estimatedSize * 10 < result.originalSize * 3)
  }

  @Test(arguments: [
    FixedEncoding.linear(bits: 4), .blocks(bits: 4, size: 32), .palette(bits: 4),
    .palette(bits: 6),
  ])
  func `feedback makes no error larger`(_ encoding: FixedEncoding) throws {
    let graph = try Model(
      contentsOf: Paths.sample("Models/sketch-classifier/sketch-classifier.h5")
    ).content.graph
    let names = Files.names(in: Paths.sample("Models/sketch-classifier/sketches"))
    let sketches = try names.prefix(60).map { name in
      let image = try Image(
        contentsOf: Paths.sample("Models/sketch-classifier/sketches/\(name)"))
      let pixels = (0..<64 * 64).map { Double(image.pixels[$0 * 3]) / 255 }
      return [Tensor(.float32, shape: [1, 64, 64, 1], pixels)]
    }
    var compactor = Compactor(graph, workers: Workers(count: 2))
    compactor.answers = .largest
    let evaluation = Array(sketches[40...])
    let withoutFeedback = try compactor.compact(as: encoding, evaluation: evaluation)
    let withFeedback = try compactor.compact(
      as: encoding, calibration: Array(sketches[..<40]), evaluation: evaluation)
    let errors = (try #require(withoutFeedback.errors), try #require(withFeedback.errors))
    #expect(errors.1.worst <= errors.0.worst)
    // The others gain less here, or nothing.
    if [.linear(bits: 4), .palette(bits: 6)].contains(encoding) {
      #expect(errors.1.worst < 0.9 * errors.0.worst)
    }
    #expect(withFeedback.answers?.count == 20)
  }
}
