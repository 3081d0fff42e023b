import Bytes

/// Sorts the calls of a model so that each comes after those whose outputs it takes.
struct KerasCallOrder {
  private let layers: [KerasLayerRecord]
  /// The number of the first call of each layer, counting the calls of all layers through.
  private let starts: [Int]
  private let references: [KerasCallReference]
  /// For each call, the calls that take its outputs.
  private var users: [[Int]]
  /// For each call, how many references it waits for.
  private var waiting: [Int]

  init(_ layers: [KerasLayerRecord], _ indices: [String: Int]) {
    var (starts, references) = ([Int](), [KerasCallReference]())
    for layer in layers {
      starts.append(references.count)
      references += layer.calls.indices.map { KerasCallReference(layer: layer.index, call: $0) }
    }
    self.layers = layers
    self.starts = starts
    self.references = references
    users = Array(repeating: [], count: references.count)
    waiting = Array(repeating: 0, count: references.count)
    for (number, reference) in references.enumerated() {
      for input in layers[reference.layer].calls[reference.call].allInputs {
        guard let source = indices[input.layer] else { continue }  // checked by the table
        users[starts[source] + input.call].append(number)
        waiting[number] += 1
      }
    }
  }

  /// The calls in order; among those that are ready, the one first in the file comes first.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` naming a layer of a cycle. Takes O(calls).
  consuming func sorted() throws(WeighbridgeError) -> [KerasCallReference] {
    var ready = Array(waiting.indices.filter { waiting[$0] == 0 })
    var done = 0
    while done < ready.count {
      for user in users[ready[done]] {
        waiting[user] -= 1
        if waiting[user] == 0 { ready.append(user) }
      }
      done += 1
    }
    guard ready.count == references.count else {
      let stuck = waiting.indices.first { waiting[$0] > 0 } ?? 0
      throw WeighbridgeError(.malformed, "the layer needs its own output: the layers form a cycle")
        .at(layer: layers[references[stuck].layer].label)
    }
    return ready.map { references[$0] }
  }
}
