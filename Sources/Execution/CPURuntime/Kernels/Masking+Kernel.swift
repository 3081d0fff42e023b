import GraphIR
import LayerCatalog

extension Masking: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    guard builder.areFloats(group.inputs) else { return false }
    let input = builder.rowMajor(group.inputs[0])
    let output = builder.makeTensor(group.outputs[0])
    let mask = builder.makeTensor(group.outputs[1])
    let steps = input.shape.dropLast().reduce(1, *)
    let features = input.shape[input.shape.count - 1]
    // The value rounded to the elements' type: 0.1 differs in float32.
    let type = builder.graph[group.inputs[0]].type.elementType
    let maskValue = Float(Tensor(type, shape: [], [value]).doubles[0])
    builder.add(
      .kernel(name: Self.kind) { memory in
        // Input and output have `steps` time steps, and the mask an element for each.
        let (source, target) = unsafe (memory.floats(input), memory.floats(output))
        let maskElements = unsafe memory[mask.storage].assumingMemoryBound(to: UInt8.self)
        for step in 0..<steps {
          let range = step * features..<(step + 1) * features
          let isKept = unsafe source[range].contains { $0 != maskValue }
          unsafe maskElements[step] = isKept ? 1 : 0
          for index in range {
            unsafe target[index] = unsafe isKept ? source[index] : source[index] * 0
          }
        }
      }, using: [input.storage, output.storage, mask.storage])
    return true
  }
}
