import Bytes
import ProtobufWire
import TensorFlowFormat
import TestSupport
import Testing

/// The tensors of checkpoints: what is read, and what is refused.
@Suite struct TensorBundleTests {
  private static let sample = Paths.sample("TensorFlow/2.15/sequential_cnn/weights.index")

  /// Opens a bundle whose files are in a folder.
  private func open(_ path: String) throws -> TensorBundle {
    try TensorBundle(ByteStore(MappedFile(path: path)), path: path)
  }

  /// Opens a bundle that is written for it.
  private func open(_ bundle: BundleBytes, in folder: TemporaryFolder) throws -> TensorBundle {
    try Files.write(bundle.index, to: folder.file("a.index"))
    try Files.write(bundle.data, to: folder.file("a.data-00000-of-00001"))
    return try open(folder.file("a.index"))
  }

  /// The error of a bundle.
  private func error(of bundle: BundleBytes) throws -> WeighbridgeError? {
    let folder = try TemporaryFolder()
    return failure { _ = try open(bundle, in: folder) }
  }

  private func floats(_ name: String, of bundle: TensorBundle) throws -> [Float] {
    let (store, range) = try bundle.bytes(of: name)
    return store.withBytes { bytes in
      stride(from: range.lowerBound, to: range.upperBound, by: 4).map {
        Float(bitPattern: bytes.unsafeLoadUnaligned(fromByteOffset: $0, as: UInt32.self))
      }
    }
  }

  @Test("TensorFlow's own files are read, with the checksum of every tensor")
  func genuine() throws {
    let bundle = try open(Self.sample)
    let kernel = "layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE"
    #expect(bundle.tensors[kernel]?.type.elementType == .float32)
    #expect(bundle.tensors[kernel]?.shape.count == 4)
    let numbers = bundle.tensors.filter { $0.value.type.elementType != nil }
    #expect(numbers.count >= 4)
    for name in numbers.keys { #expect(try !floats(name, of: bundle).isEmpty) }
    let graph = try #require(try ObjectGraph(bundle))
    #expect(graph.objects[0].names.contains("layer-0"))
  }

  @Test("Tensors, strings and the slices of a tensor are read")
  func made() throws {
    var bundle = BundleBytes()
    // Two columns are in one part, and the third in another.
    let start: [UInt8] = [0] + Array("c".utf8) + [0, 1, 1, 2, 0x80, 0x7F]
    bundle.add(start + [0x80, 0x82], [2, 2], [1, 2, 4, 5])
    bundle.add(start + [0x82, 0x81], [2, 1], [3, 6])
    bundle.add("a", [3], [1, 2, 3])
    bundle.add("b", string: Array("text".utf8))
    let slices = [(0, 2), (2, 1)].map { extent in
      message(
        7,
        message(1, []) + message(1, number(1, UInt64(extent.0)) + number(2, UInt64(extent.1))))
    }
    bundle.entries.append(
      (Array("c".utf8), number(1, 1) + BundleBytes.shape([2, 3]) + slices.flatMap { $0 }))
    let folder = try TemporaryFolder()
    let opened = try open(bundle, in: folder)
    #expect(try floats("a", of: opened) == [1, 2, 3])
    #expect(try opened.strings(of: "b") == [Array("text".utf8)])
    #expect(try floats("c", of: opened) == [1, 2, 3, 4, 5, 6])
    #expect(failure { _ = try opened.bytes(of: "b") }?.has(.unsupported, "string") == true)
    #expect(failure { _ = try opened.strings(of: "a") }?.has(.unsupported, "float32") == true)
    #expect(failure { _ = try opened.bytes(of: "d") }?.has(.missing, "d: is not among") == true)
  }

  @Test("Headers and entries that are wrong are refused, with what is wrong")
  func refused() throws {
    #expect(
      try error(of: BundleBytes(header: number(1, 1) + number(2, 1)))?.has(
        .unsupported, "big-endian") == true)
    #expect(try error(of: BundleBytes(header: number(1, 0)))?.has(.malformed, "in 0 files") == true)
    #expect(
      try error(of: BundleBytes(header: number(1, 1) + message(3, number(2, 7))))?
        .has(.unsupported, "version 7") == true)
    var bundle = BundleBytes()
    bundle.compression = 1
    #expect(try error(of: bundle)?.has(.unsupported, "snappy") == true)
    bundle = BundleBytes()
    bundle.add("a", [2], [1, 2, 3])
    #expect(try error(of: bundle)?.has(.malformed, "the tensor a has 12 bytes") == true)
    bundle = BundleBytes()
    bundle.add("a", [3], [1, 2, 3])
    bundle.entries.append((Array("b".utf8), bundle.entries[1].value))
    #expect(try error(of: bundle)?.has(.malformed, "b has bytes that are those of a") == true)
    bundle = BundleBytes()
    bundle.add("b", [1], [1])
    bundle.add("a", [1], [1])
    #expect(try error(of: bundle)?.has(.malformed, "ascending") == true)
    bundle = BundleBytes()
    bundle.entries.append((Array("a".utf8), BundleBytes.entry(type: 1, [0], offset: 1 << 40, [])))
    #expect(try error(of: bundle)?.has(.truncated, "a is at bytes") == true)
  }

  @Test("A file that is missing or cut short is named, and a damaged tensor too")
  func damaged() throws {
    let folder = try TemporaryFolder()
    var bundle = BundleBytes()
    bundle.add("first", [2], [1, 2])
    bundle.add("second", [2], [3, 4])
    let shard = folder.file("a.data-00000-of-00001")
    _ = try open(bundle, in: folder)
    try Files.write(bundle.data.dropLast(), to: shard)
    let short = failure { _ = try open(folder.file("a.index")) }
    #expect(
      short?.has(.truncated, "second is at bytes 8 to 16") == true && short?.place.file == shard)
    var changed = bundle
    changed.data[9] ^= 1
    let opened = try open(changed, in: folder)
    #expect(try floats("first", of: opened) == [1, 2])
    #expect(
      failure { _ = try opened.bytes(of: "second") }?.has(.damaged, "second: is damaged") == true)
    bundle = BundleBytes(header: number(1, 2))
    let missing = try #require(failure { _ = try open(bundle, in: folder) })
    #expect(
      missing.has(.missing, "a.data-00000-of-00002") && missing.reason.contains("number 1 of 2"))
    var index = Array(try Files.read(folder.file("a.index")))
    index[2] ^= 1
    try Files.write(index, to: folder.file("a.index"))
    #expect(failure { _ = try open(folder.file("a.index")) }?.has(.damaged, "checksum") == true)
    try Files.write(index.dropLast(), to: folder.file("a.index"))
    #expect(failure { _ = try open(folder.file("a.index")) }?.has(.malformed, "cut off") == true)
  }

  @Test("Cycles in an object graph are read, and more objects than a model has are refused")
  func objectGraphs() throws {
    /// An object that refers to others.
    func object(_ children: [(Int, String)]) -> [UInt8] {
      message(
        1, children.flatMap { message(1, number(1, UInt64($0.0)) + message(2, Array($0.1.utf8))) })
    }
    func graph(_ bytes: [UInt8]) throws -> ObjectGraph? {
      var bundle = BundleBytes()
      bundle.add(ObjectGraph.tensorName, string: bytes)
      let folder = try TemporaryFolder()
      return try ObjectGraph(open(bundle, in: folder))
    }
    let cycle = try graph(object([(1, "a")]) + object([(0, "b")]))
    #expect(cycle?.objects.map(\.names) == [["a"], ["b"]])
    let missing = failure { _ = try graph(object([(7, "a")])) }
    #expect(missing?.has(.malformed, "object 7, expected one of 1") == true)
    #expect(failure { _ = try graph([]) }?.has(.malformed, "no objects") == true)
    let million = [UInt8](repeating: 0, count: 2_000_000).enumerated().map {
      $0.offset % 2 == 0 ? UInt8(0x0A) : 0
    }
    #expect(failure { _ = try graph(million) }?.has(.limitExceeded, "objects") == true)
  }
}
