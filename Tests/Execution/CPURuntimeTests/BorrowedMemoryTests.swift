import Bytes
import CPURuntime
import GraphIR
import LayerCatalog
import ReferenceRuntime
import Testing
import Verifier
import _CatalogTesting

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Inputs and outputs in the caller's memory, which ends at a protected page.
@Suite struct BorrowedMemoryTests {
  @Test(
    "An operator reads and writes the caller's memory, and nothing beside it",
    // Memory for outputs whose sizes depend on elements cannot be given.
    arguments: OperatorExample.all.filter { !($0.operation is any DataDependentOperator) })
  func operators(_ example: OperatorExample) throws {
    for type in [ElementType.float32, .float16, .float64] {
      let example = example.converted(to: type)
      let graph = try example.graph()
      let inputs = example.dataPositions.map { example.inputs[$0] }
      let expected = try ReferenceRuntime(workers: Workers(count: 2))
        .run(graph, inputs: inputs) { _ in }
      let compiled = try CompiledGraph(
        graph, CPURuntime.Options(workers: Workers(count: 2)))
      let types = inputs.map(\.type)
      #expect(try compiled.outputTypes(for: types) == expected.map(\.type))
      for _ in 1...2 {  // in new memory each time, which the plan must follow
        let given = inputs.map { BorrowedMemory($0.contiguousBytes(), isReadOnly: true) }
        let destinations = expected.map {
          BorrowedMemory([UInt8](repeating: 0xA5, count: $0.byteCount))
        }
        try withExtendedLifetime(given) {
          try compiled.run(
            types, from: given.map { UnsafeRawPointer($0.start) }, into: destinations.map(\.start))
        }
        for (actual, expected) in zip(destinations, expected) {
          let actual = Tensor(expected.elementType, shape: expected.shape, bytes: actual.bytes)
          let isNarrow = type == .float16 && expected.elementType == type
          let tolerance = isNarrow ? Tolerance.standard(for: type) : example.operation.tolerance
          let difference = TensorDifference(actual: actual, expected: expected)
          #expect(difference.isWithin(tolerance), "\(type): \(difference)")
        }
      }
    }
  }

  @Test("Memory that is not aligned to its elements is copied")
  func unaligned() throws {
    let example = try #require(OperatorExample.all.first { $0.dataPositions.count == 1 })
    let graph = try example.graph()
    let input = example.inputs[example.dataPositions[0]]
    let compiled = try CompiledGraph(graph, CPURuntime.Options(workers: Workers(count: 1)))
    let expected = try compiled.run([input])[0]
    let given = BorrowedMemory([0] + input.contiguousBytes())
    let destination = BorrowedMemory([UInt8](repeating: 0, count: expected.byteCount + 1))
    try withExtendedLifetime(given) {
      try compiled.run(
        [input.type], from: [UnsafeRawPointer(given.start + 1)], into: [destination.start + 1])
    }
    #expect(Array(destination.bytes.dropFirst()) == expected.contiguousBytes())
  }

  @Test("An output that is an input, a weight, or another output is copied")
  func sharedOutputs() throws {
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [1, 4]))
    let weight = try builder.addWeight("w", Tensor(.float32, shape: [1, 4], [1, 2, 3, 4]))
    let source = SourceScope(layer: "sum", className: "Add")
    let sum = try builder.addNode(Add(), named: "sum", inputs: [input, weight], source: source)[0]
    let outputs = [input, sum, sum, weight].enumerated().map { Port(name: "\($0)", value: $1) }
    let compiled = try CompiledGraph(
      try builder.finish(outputs: outputs), CPURuntime.Options(workers: Workers(count: 1)))
    let x = Tensor(.float32, shape: [1, 4], [10, 20, 30, 40])
    let given = BorrowedMemory(x.contiguousBytes(), isReadOnly: true)
    let destinations = outputs.map { _ in BorrowedMemory([UInt8](repeating: 0, count: 16)) }
    try withExtendedLifetime(given) {
      try compiled.run(
        [x.type], from: [UnsafeRawPointer(given.start)], into: destinations.map(\.start))
    }
    let actual = destinations.map { Tensor(.float32, shape: [4], bytes: $0.bytes).doubles }
    let sums: [Double] = [11, 22, 33, 44]
    #expect(actual == [x.doubles, sums, sums, [1, 2, 3, 4]])
  }
}

/// Bytes that end at a protected page.
private final class BorrowedMemory {
  let start: UnsafeMutableRawPointer
  private let count: Int
  private let mapping: UnsafeMutableRawPointer
  private let size: Int

  init(_ bytes: [UInt8], isReadOnly: Bool = false) {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let capacity = (max(bytes.count, 1) + page - 1) / page * page
    (count, size) = (bytes.count, capacity + page)
    let flags = MAP_PRIVATE | MAP_ANONYMOUS
    guard let mapping = mmap(nil, size, PROT_READ | PROT_WRITE, flags, -1, 0) else {
      preconditionFailure("no memory")
    }
    self.mapping = mapping
    start = mapping + capacity - count
    start.copyMemory(from: bytes, byteCount: count)
    mprotect(mapping + capacity, page, PROT_NONE)
    if isReadOnly { mprotect(mapping, capacity, PROT_READ) }
  }

  var bytes: [UInt8] { [UInt8](UnsafeRawBufferPointer(start: start, count: count)) }

  deinit { munmap(mapping, size) }
}
