import Bytes

/// Sorts the calls of a model so that each comes after those whose outputs it reads.
struct KerasCallOrder {
  private enum State { case unvisited, visiting, visited }

  private let layers: [KerasLayerRecord]
  private let indices: [String: Int]
  /// The number of each layer's first call, with the calls of all layers numbered consecutively.
  private let firstCalls: [Int]
  private let calls: [KerasCallReference]

  init(_ layers: [KerasLayerRecord], _ indices: [String: Int]) {
    var (firstCalls, calls) = ([Int](), [KerasCallReference]())
    for layer in layers {
      firstCalls.append(calls.count)
      calls += layer.calls.indices.map { KerasCallReference(layer: layer.index, call: $0) }
    }
    self.layers = layers
    self.indices = indices
    self.firstCalls = firstCalls
    self.calls = calls
  }

  /// Returns the calls in the order of the file, except that each call comes after the calls that
  /// it depends on. Takes O(references).
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` at a layer of a cycle.
  func sorted() throws(WeighbridgeError) -> [KerasCallReference] {
    var states = [State](repeating: .unvisited, count: calls.count)
    var sorted: [KerasCallReference] = []
    for root in calls.indices where states[root] == .unvisited {
      states[root] = .visiting
      // Each call on the stack depends on the one above it.
      var stack = [(call: root, remaining: sources(of: root))]
      while let (call, remaining) = stack.last {
        guard let source = remaining.first else {
          states[call] = .visited
          sorted.append(calls[call])
          stack.removeLast()
          continue
        }
        stack[stack.count - 1].remaining = remaining.dropFirst()
        if states[source] == .visiting { throw cycleError(at: source) }
        if states[source] == .unvisited {
          states[source] = .visiting
          stack.append((source, sources(of: source)))
        }
      }
    }
    return sorted
  }

  /// The numbers of the calls whose outputs a call reads.
  private func sources(of call: Int) -> ArraySlice<Int> {
    let inputs = layers[calls[call].layer].calls[calls[call].call].allInputs
    // References have been checked: their layers and calls exist.
    return inputs.compactMap { input in
      indices[input.layer].map { firstCalls[$0] + input.call }
    }[...]
  }

  private func cycleError(at call: Int) -> WeighbridgeError {
    WeighbridgeError(.malformed, "the layer needs its own output: the layers form a cycle")
      .at(layer: layers[calls[call].layer].label)
  }
}
