package import Bytes
import ZipArchive

/// The tensors of a file that `torch.save` wrote: a state dictionary, alone or in a checkpoint. Both
/// forms are read, the ZIP archive since 1.6 and the sequence of pickles before it. The pickles are
/// read as data (``PickleReader``): nothing in them is run.
package struct PyTorchFile: Sendable {
  /// A tensor.
  package struct Entry: Sendable {
    /// The name; unique in its file.
    package let name: String
    package let elementType: ElementType
    /// The sizes of the axes, outermost first; empty for a scalar.
    package let shape: [Int]
    /// What has the elements, little-endian and in row-major order.
    package let store: ByteStore
    /// Where they are.
    package let range: Range<Int>
  }

  /// The tensors, in the order of the file.
  package let tensors: [Entry]
  /// What was chosen or left out, as messages.
  package let notes: [String]
  /// The form of the file.
  package let form: Form

  /// A form of the file.
  package enum Form: String, Sendable {
    /// A ZIP archive, since PyTorch 1.6.
    case archive = "pytorch"
    /// A sequence of pickles and storages, up to 1.5.
    case sequence = "pytorch before 1.6"
  }

  /// Whether bytes begin like a file of `torch.save`. TorchScript archives, which have code, do not.
  package static func recognizes(_ bytes: RawSpan) -> Bool {
    if PyTorchSequence.recognizes(bytes) { return true }
    guard ZipDirectory.isMagic(bytes) else { return false }
    let names = ZipDirectory.names(bytes)
    return names.contains { $0.hasSuffix("/data.pkl") }
      && !names.contains { $0.hasSuffix("/constants.pkl") || $0.contains("/code/") }
  }

  /// Reads everything but the elements, except of tensors whose elements are not in order.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported``, with the
  ///   name of what is refused; ``WeighbridgeError/Code/limitExceeded``.
  package init(_ store: ByteStore) throws(WeighbridgeError) {
    let isSequence = store.withBytes { PyTorchSequence.recognizes($0) }
    form = isSequence ? .sequence : .archive
    let contents =
      isSequence ? try PyTorchSequence.read(store) : try PyTorchArchive.read(store)
    let dictionary = try PyTorchStateDictionary(contents.root, contents.reader)
    notes = dictionary.notes
    tensors = try dictionary.tensors.map { (name, view) throws(WeighbridgeError) in
      do throws(WeighbridgeError) {
        guard let storage = contents.storages[view.storage.key] else {
          throw .malformed("has no elements: the storage \(view.storage.key) is missing")
        }
        return try Self.entry(name, view, storage)
      } catch { throw error.at(.path(name)) }
    }
  }

  private static func entry(
    _ name: String, _ view: PyTorchView, _ storage: PyTorchElements
  ) throws(WeighbridgeError) -> Entry {
    let size = view.storage.elementType.byteCount
    let count = try Checked.product([view.storage.count, size], of: "the size of a storage")
    guard storage.range.count == count else {
      throw .malformed(
        "has a storage of \(storage.range.count) bytes, and \(view.storage.count.counted("element")) "
          + "take \(count)")
    }
    if let first = view.firstOfContiguous {
      let start = storage.range.lowerBound + first * size
      return Entry(
        name: name, elementType: view.storage.elementType, shape: view.shape, store: storage.store,
        range: start..<start + view.count * size)
    }
    let elements = storage.store.withBytes { view.elements($0.extracting(storage.range)) }
    return Entry(
      name: name, elementType: view.storage.elementType, shape: view.shape,
      store: ByteStore(elements), range: 0..<elements.count)
  }
}

/// What a file holds.
struct PyTorchContents {
  let root: PickleValue
  let reader: PickleReader
  /// The elements of storages, by their keys.
  let storages: [String: PyTorchElements]
}

/// The elements of a storage.
struct PyTorchElements {
  let store: ByteStore
  let range: Range<Int>
}

extension PyTorchView {
  /// The number of elements.
  var count: Int { shape.reduce(1, *) }

  /// The position of the first element if all follow it in row-major order; `nil` otherwise.
  var firstOfContiguous: Int? {
    if count == 0 { return 0 }
    var expected = 1
    for (size, stride) in zip(shape, strides).reversed() where size > 1 {
      if stride != expected { return nil }
      expected *= size
    }
    return offset
  }

  /// The elements in row-major order, from the bytes of the storage.
  func elements(_ bytes: RawSpan) -> [UInt8] {
    let size = storage.elementType.byteCount
    var result: [UInt8] = []
    result.reserveCapacity(count * size)
    var index = [Int](repeating: 0, count: shape.count)
    var position = offset
    for _ in 0..<count {
      for byte in 0..<size { result.append(bytes[byte: position * size + byte]) }
      for axis in shape.indices.reversed() {
        index[axis] += 1
        position += strides[axis]
        if index[axis] < shape[axis] { break }
        position -= strides[axis] * shape[axis]
        index[axis] = 0
      }
    }
    return result
  }
}
