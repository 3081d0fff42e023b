package import Bytes
import Digests
import Dispatch
import Synchronization
import TensorEncoding

extension WBMFile {
  /// A damaged part of a file, whose bytes differ from those that were written.
  package enum Damage: Hashable, Sendable {
    /// The digest of the tensor at this index of the table does not match.
    case tensor(Int)
    /// The tensor at this index does not decode to the elements that were written, with the reason.
    case elements(Int, String)
    /// The padding before the tensor at this index is not zero.
    case padding(before: Int)
  }

  /// Computes the digest of every tensor and checks the padding between them, on two threads.
  ///
  /// - Throws: ``WeighbridgeError/Code/damaged``; the reason names all damaged tensors.
  /// - Complexity: Reads the whole file, and releases its memory progressively.
  package func checkIntegrity() throws(WeighbridgeError) {
    let damage = damage()
    guard !damage.isEmpty else { return }
    let parts = damage.prefix(20).map(describe)
    let more = damage.count > 20 ? ", and \(damage.count - 20) more" : ""
    throw .damaged("was damaged after it was written: \(parts.joined(separator: ", "))\(more)")
      .at(file: path)
  }

  /// Returns all damaged parts, in the order of the file.
  ///
  /// - Complexity: As ``checkIntegrity()``.
  package func damage() -> [Damage] {
    let next = Atomic(0)
    let damages = Mutex<[Int: [Damage]]>([:])
    DispatchQueue.concurrentPerform(iterations: 2) { _ in
      while true {
        let index = next.add(1, ordering: .relaxed).oldValue
        guard index < header.tensors.count else { return }
        let damage = damage(ofTensor: index)
        if !damage.isEmpty { damages.withLock { $0[index] = damage } }
      }
    }
    return damages.withLock { $0.sorted { $0.key < $1.key }.flatMap(\.value) }
  }

  private func damage(ofTensor index: Int) -> [Damage] {
    let range = range(ofTensor: index)
    let previousEnd = index == 0 ? range.lowerBound : self.range(ofTensor: index - 1).upperBound
    var damage: [Damage] = []
    store.withBytes { bytes in
      if !bytes.isZero(previousEnd..<range.lowerBound) { damage.append(.padding(before: index)) }
      if XXH3Digest(of: bytes.extracting(range)) != header.tensors[index].digest {
        damage.append(.tensor(index))
      }
    }
    let tensor = header.tensors[index]
    if tensor.encoding != .plain, damage.isEmpty {
      do throws(WeighbridgeError) {
        _ = try decodedElements(ofTensor: index)
      } catch {
        damage.append(.elements(index, error.reason))
      }
    }
    store.release(range)
    return damage
  }

  /// The problem with a damaged part, as a sentence.
  package func sentence(_ damage: Damage) -> String {
    if case .elements(_, let reason) = damage { return reason }
    return "\(describe(damage)) is not as it was written"
  }

  /// The damaged part as a phrase.
  package func describe(_ damage: Damage) -> String {
    switch damage {
    case .tensor(let index): header.tensors[index].title(index)
    case .elements(_, let reason): reason
    case .padding(let index): "the padding before \(header.tensors[index].title(index))"
    }
  }
}
