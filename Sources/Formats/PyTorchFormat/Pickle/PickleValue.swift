import Bytes

/// A value of a pickle. The reader keeps tuples, lists and dictionaries under a number, so that values
/// do not nest, however deep the pickle does.
enum PickleValue: Sendable {
  case none
  case bool(Bool)
  case integer(Int)
  /// An integer of more than 64 bits, as its bytes in two's complement.
  case longInteger([UInt8])
  case float(Double)
  case string(String)
  case bytes([UInt8])
  case tuple(Int)
  case list(Int)
  case dictionary(Int)
  /// A class or function.
  case name(PickleName)
  case storage(PyTorchStorage)
  case tensor(PyTorchView)

  /// What it is, in messages.
  var title: String {
    switch self {
    case .none: "None"
    case .bool: "a bool"
    case .integer, .longInteger: "an int"
    case .float: "a float"
    case .string: "a str"
    case .bytes: "bytes"
    case .tuple: "a tuple"
    case .list: "a list"
    case .dictionary: "a dict"
    case .name(let name): name.title
    case .storage: "a storage"
    case .tensor: "a tensor"
    }
  }

  var integer: Int? { if case .integer(let integer) = self { integer } else { nil } }

  var string: String? { if case .string(let string) = self { string } else { nil } }
}

/// The classes and functions that a state dictionary needs. Nothing of them is run: what they make of
/// their arguments is known.
enum PickleName: Hashable, Sendable {
  case orderedDict
  /// `_rebuild_tensor_v2`, and `_rebuild_tensor` of PyTorch before 0.4.
  case rebuildTensor
  case rebuildParameter
  case size
  /// A storage of elements of a type.
  case storage(ElementType)
  /// Any other one, of which nothing is known.
  case other

  /// - Throws: ``WeighbridgeError/Code/unsupported``, with the name, for every other one.
  init(_ module: String, _ name: String) throws(WeighbridgeError) {
    let full = "\(module).\(name)"
    guard let known = Self.known[full] else {
      throw .unsupported(Self.refusals[full] ?? Self.refusal(of: full))
    }
    self = known
  }

  var title: String { Self.known.filter { $0.value == self }.keys.min() ?? "a name" }

  private static let known: [String: PickleName] = {
    var names: [String: PickleName] = [
      "collections.OrderedDict": .orderedDict,
      "torch._utils._rebuild_tensor": .rebuildTensor,
      "torch._utils._rebuild_tensor_v2": .rebuildTensor,
      "torch._utils._rebuild_parameter": .rebuildParameter,
      "torch.Size": .size,
    ]
    let storages: [(String, ElementType)] = [
      ("Float", .float32), ("Double", .float64), ("Half", .float16), ("BFloat16", .bfloat16),
      ("Long", .int64), ("Int", .int32), ("Short", .int16), ("Char", .int8), ("Byte", .uint8),
      ("Bool", .bool),
    ]
    for (name, type) in storages { names["torch.\(name)Storage"] = .storage(type) }
    return names
  }()

  private static let refusals = [
    "torch._utils._rebuild_qtensor":
      "holds a quantized tensor; save the state dictionary of the model before it was quantized",
    "torch._utils._rebuild_sparse_tensor":
      "holds a sparse tensor; save it as tensor.to_dense()",
    "torch._utils._rebuild_sparse_csr_tensor":
      "holds a sparse tensor; save it as tensor.to_dense()",
  ]

  private static func refusal(of name: String) -> String {
    "names \(name), which a state dictionary of tensors does not need; nothing of a pickle is run, so "
      + "save the tensors alone: torch.save(model.state_dict(), FILE)"
  }
}

/// The elements of tensors.
struct PyTorchStorage: Hashable, Sendable {
  /// Its name in the archive.
  let key: String
  let elementType: ElementType
  /// The number of elements.
  let count: Int
}

/// A tensor that views elements of a storage.
struct PyTorchView: Hashable, Sendable {
  let storage: PyTorchStorage
  /// The position of the first element.
  let offset: Int
  let shape: [Int]
  /// The distances between neighbors along each axis, in elements.
  let strides: [Int]

  /// - Throws: ``WeighbridgeError/Code/malformed`` for a view that leaves its storage;
  ///   ``WeighbridgeError/Code/unsupported`` for one that has more elements than it.
  init(
    _ storage: PyTorchStorage, offset: Int, shape: [Int], strides: [Int]
  ) throws(WeighbridgeError) {
    guard shape.count == strides.count, shape.count <= 64 else {
      throw .malformed(
        "has a tensor of \(shape.count) axes with \(strides.count) strides, expected as many, at "
          + "most 64")
    }
    guard offset >= 0, (shape + strides).allSatisfy({ $0 >= 0 }) else {
      throw .malformed(
        "has a tensor with the shape \(shape), the strides \(strides) and the offset \(offset), "
          + "expected no negative numbers")
    }
    let count = try Checked.product(shape, of: "the size of a tensor")
    var last = offset
    for (size, stride) in zip(shape, strides) where count > 0 {
      let distance = try Checked.product([size - 1, stride], of: "the extent of a tensor")
      last = try Checked.sum(last, distance, of: "the extent of a tensor")
    }
    guard count == 0 || last < storage.count else {
      throw .malformed(
        "has a tensor up to element \(last), expected one of the storage's "
          + "\(storage.count.counted("element"))")
    }
    guard count <= storage.count else {
      throw .unsupported(
        "has a tensor of \(count.counted("element")) that repeats those of a storage of "
          + "\(storage.count); save it as tensor.clone()")
    }
    (self.storage, self.offset, self.shape, self.strides) = (storage, offset, shape, strides)
  }
}
