import Bytes
import GraphIR
import Testing

/// Dimensions, tensor types, layouts, tolerances and names.
@Suite struct TypeTests {
  private let batch = Dimension.symbolic("batch")

  @Test("Dimensions agree unless both are known and differ")
  func agreement() {
    #expect(Dimension.fixed(3).agrees(with: 3) && !Dimension.fixed(3).agrees(with: 4))
    #expect(batch.agrees(with: 3) && batch.agrees(with: .symbolic("other")))
    #expect(Dimension.unknown.agrees(with: 0) && Dimension.fixed(0).agrees(with: .unknown))
  }

  @Test("Of two dimensions that agree the more precise one is kept")
  func merging() {
    #expect(batch.merged(with: 3) == 3 && Dimension.fixed(3).merged(with: batch) == 3)
    #expect(Dimension.unknown.merged(with: batch) == batch)
    #expect(batch.merged(with: .unknown) == batch)
    #expect(batch.merged(with: .symbolic("other")) == batch)
    #expect(Dimension.unknown.merged(with: .unknown) == .unknown)
  }

  @Test("A product is unknown when a factor is, and refused when it does not fit")
  func products() throws {
    #expect(try Dimension.product([]) == 1)
    #expect(try Dimension.product([2, 3, 4]) == 24)
    #expect(try Dimension.product([2, batch, 0]) == .unknown)
    #expect(try Dimension.product([5, 0]) == 0)
    #expect(throws: ShapeError.self) {
      _ = try Dimension.product([.fixed(1 << 32), .fixed(1 << 31)])
    }
    #expect(try Dimension.fixed(3).map { value in value * 2 } == 6)
    #expect(try batch.map { value in value * 2 } == .unknown)
    #expect(throws: ShapeError.self) {
      _ = try Dimension.fixed(3).map { _ throws(ShapeError) in throw ShapeError("no") }
    }
  }

  @Test("A tensor type is described with its axes")
  func types() {
    let type = TensorType(.float32, [batch, 416, .unknown, 3])
    #expect(type.description == "float32 [batch, 416, ?, 3]")
    #expect(type.rank == 4 && type.fixedShape == nil)
    #expect(TensorType(.int8, [Int]()).fixedShape == [])
    #expect(TensorType(.int8, [2, 0]).fixedShape == [2, 0])
    #expect(type.agrees(with: TensorType(.float32, [1, 416, 7, 3])))
    #expect(!type.agrees(with: TensorType(.float16, [1, 416, 7, 3])))
    #expect(!type.agrees(with: TensorType(.float32, [1, 416, 3])))
    #expect(!type.agrees(with: TensorType(.float32, [1, 415, 7, 3])))
  }

  @Test("The axes of a layout are where its name says", arguments: 3...5)
  func layouts(_ rank: Int) {
    #expect(DataLayout.channelsFirst.channelAxis(rank: rank) == 1)
    #expect(DataLayout.channelsLast.channelAxis(rank: rank) == rank - 1)
    #expect(DataLayout.channelsFirst.spatialAxes(rank: rank) == 2..<rank)
    #expect(DataLayout.channelsLast.spatialAxes(rank: rank) == 1..<rank - 1)
    let toChannelsFirst = DataLayout.channelsLast.axesToChannelsFirst(rank: rank)
    let toChannelsLast = DataLayout.channelsLast.axesFromChannelsFirst(rank: rank)
    #expect(toChannelsFirst == [[0, 2, 1], [0, 3, 1, 2], [0, 4, 1, 2, 3]][rank - 3])
    #expect(toChannelsLast == [[0, 2, 1], [0, 2, 3, 1], [0, 2, 3, 4, 1]][rank - 3])
    #expect(toChannelsFirst.map { toChannelsLast[$0] } == Array(0..<rank))
    #expect(DataLayout.channelsLast.permuted(by: toChannelsFirst) == .channelsFirst)
    #expect(DataLayout.channelsFirst.permuted(by: toChannelsLast) == .channelsLast)
    #expect(DataLayout.channelsLast.permuted(by: Array(0..<rank)) == .channelsLast)
    #expect(DataLayout.channelsFirst.permuted(by: (0..<rank).reversed()) == nil)
    #expect(DataLayout.channelsFirst.axesToChannelsFirst(rank: rank) == Array(0..<rank))
  }

  @Test("An image's axes are those of 4 dimensions, or of 3 without a batch")
  func imageAxes() {
    #expect(DataLayout.channelsLast.imageAxes(rank: 4) ?? (0, 0, 0) == (3, 1, 2))
    #expect(DataLayout.channelsFirst.imageAxes(rank: 4) ?? (0, 0, 0) == (1, 2, 3))
    #expect(DataLayout.channelsLast.imageAxes(rank: 3) ?? (0, 0, 0) == (2, 0, 1))
    #expect(DataLayout.channelsFirst.imageAxes(rank: 3) ?? (9, 0, 0) == (0, 1, 2))
    for rank in [0, 1, 2, 5] { #expect(DataLayout.channelsLast.imageAxes(rank: rank) == nil) }
  }

  @Test("Tolerances are those of the element type")
  func tolerances() {
    let limits: [ElementType: Double] = [.float16: 2e-3, .bfloat16: 8e-3]
    for type in ElementType.allCases {
      let limit = limits[type] ?? 1e-5
      #expect(Tolerance.standard(for: type) == Tolerance(absolute: limit, relative: limit))
    }
  }

  @Test("A taken name gets the first number that makes it unique")
  func names() {
    var names = UniqueNames(["a", "a_3"])
    #expect(names.unused("b") == "b" && names.unused("a") == "a_2" && names.unused("a") == "a_4")
    #expect(names.unused("a_2") == "a_2_2" && names.contains("a_4") && !names.contains("c"))
    #expect(names.insert("c") && !names.insert("c"))
    var others = UniqueNames(firstNumber: 1)
    #expect((0..<3).map { _ in others.unused("x") } == ["x", "x_1", "x_2"])
    var dashed = UniqueNames(separator: "-")
    #expect((0..<3).map { _ in dashed.unused("x") } == ["x", "x-2", "x-3"])
  }

  @Test("A permutation has NumPy's inverse, and positions for axes whose order it keeps")
  func permutations() {
    // numpy.argsort
    #expect([2, 0, 1].inversePermutation == [1, 2, 0])
    #expect([0, 3, 1, 2].inversePermutation == [0, 2, 3, 1])
    #expect([Int]().inversePermutation == [])
    #expect([0, 1].positions(in: [2, 0, 1]) == [1, 2] && [Int]().positions(in: [1, 0]) == [])
    #expect([1, 2].positions(in: [2, 0, 1]) == nil && [3].positions(in: [1, 0]) == nil)
  }

  @Test(
    "Workers return results in order, for any number of threads", arguments: [-1, 1, 8])
  func workers(_ threads: Int) {
    let workers = Workers(count: threads)
    #expect(workers.count == max(1, threads))
    #expect(workers.map(1000) { $0 * $0 } == (0..<1000).map { $0 * $0 })
    #expect(workers.map(0) { $0 } == [] && workers.map(1) { $0 } == [0])
    #expect(Workers.processorCount >= 1)
  }

  @Test("A cancellation is seen once it is asked for")
  func cancellation() {
    let cancellation = Cancellation()
    #expect(!cancellation.isCancelled)
    cancellation.cancel()
    #expect(cancellation.isCancelled)
  }
}
