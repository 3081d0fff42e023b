import Bytes

/// Sorts the calls of a model so that each comes after those whose outputs it reads.
struct KerasCallOrder {
  private enum State { case new, waiting, done }

  private let layers: [KerasLayerRecord]
  private let indices: [String: Int]
  /// The number of each layer's first call, with the calls of all layers numbered consecutively.
  private let starts: [Int]
  private let calls: [KerasCallReference]

  init(_ layers: [KerasLayerRecord], _ indices: [String: Int]) {
    var (starts, calls) = ([Int](), [KerasCallReference]())
    for layer in layers {
      starts.append(calls.count)
      calls += layer.calls.indices.map { KerasCallReference(layer: layer.index, call: $0) }
    }
    self.layers = layers
    self.indices = indices
    self.starts = starts
    self.calls = calls
  }

  /// Returns the calls in the order of the file, except that the calls that a call depends on come
  /// before it.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` at a layer of a cycle. Takes O(references).
  func sorted() throws(WeighbridgeError) -> [KerasCallReference] {
    var states = [State](repeating: .new, count: calls.count)
    var sorted: [KerasCallReference] = []
    for first in calls.indices where states[first] == .new {
      states[first] = .waiting
      // Each call on the stack waits for the one above it.
      var stack = [(call: first, needs: sources(of: first))]
      while let (call, needs) = stack.last {
        guard let source = needs.first else {
          states[call] = .done
          sorted.append(calls[call])
          stack.removeLast()
          continue
        }
        stack[stack.count - 1].needs = needs.dropFirst()
        if states[source] == .waiting { throw cycle(at: source) }
        if states[source] == .new {
          states[source] = .waiting
          stack.append((source, sources(of: source)))
        }
      }
    }
    return sorted
  }

  /// The numbers of the calls whose outputs a call reads.
  private func sources(of call: Int) -> ArraySlice<Int> {
    let inputs = layers[calls[call].layer].calls[calls[call].call].allInputs
    // Every reference was checked: its layer and call exist.
    return inputs.compactMap { input in indices[input.layer].map { starts[$0] + input.call } }[...]
  }

  private func cycle(at call: Int) -> WeighbridgeError {
    WeighbridgeError(.malformed, "the layer needs its own output: the layers form a cycle")
      .at(layer: layers[calls[call].layer].label)
  }
}
