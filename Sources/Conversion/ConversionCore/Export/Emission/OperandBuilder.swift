package import Bytes
package import GraphIR
package import LayerCatalog

/// A file under construction whose operators take and give named values, such as TFLite's and Core
/// ML's programs: what they compose of a few operators that every such file has.
package protocol OperandBuilder: ExportBuilder where Value == ExportOperand, Output == String {
  /// An operator of the file.
  associatedtype Function

  /// Adds a function of two values, in which axes of size 1 are broadcast.
  mutating func binary(
    _ function: Function, _ x: ExportOperand, _ y: ExportOperand, giving type: TensorType
  ) throws(WeighbridgeError) -> ExportOperand
  /// Chooses the elements of one value where a condition is true, and else those of another.
  mutating func chosen(
    where condition: ExportOperand, _ x: ExportOperand, else y: ExportOperand
  ) throws(WeighbridgeError) -> ExportOperand
  /// Inserts axes of size 1 at positions of the result.
  mutating func expanded(
    _ x: ExportOperand, _ axes: [Int]
  ) throws(WeighbridgeError) -> ExportOperand
  /// Removes axes of size 1.
  mutating func squeezed(
    _ x: ExportOperand, _ axes: [Int]
  ) throws(WeighbridgeError) -> ExportOperand
  /// Takes a range along each of some axes.
  mutating func sliced(
    _ x: ExportOperand, _ ranges: [Slice.Range], as type: TensorType
  ) throws(WeighbridgeError) -> ExportOperand
  /// Concatenates values along an axis.
  mutating func concatenated(
    _ values: [ExportOperand], axis: Int, as type: TensorType
  ) throws(WeighbridgeError) -> ExportOperand
}

extension OperandBuilder {
  /// An input of the operator that is being translated.
  package subscript(_ index: Int) -> ExportOperand { operands[index] }

  /// A constant of one element with the rank and element type of a value.
  package func number(_ number: Double, like value: ExportOperand) -> ExportOperand {
    let shape = [Int](repeating: 1, count: value.type.rank)
    return .constant(Tensor(value.type.elementType, shape: shape, [number]))
  }

  /// A weight in another form.
  package func weight(
    _ index: Int, _ role: String, _ transform: (Tensor) -> Tensor
  ) throws(WeighbridgeError) -> ExportOperand {
    let name = self[index].name
    return .weight(transform(try tensor(index)), named: name.isEmpty ? "" : "\(name)/\(role)")
  }

  /// Adds a function of two values, in which axes of size 1 are broadcast.
  package mutating func binary(
    _ function: Function, _ x: ExportOperand, _ y: ExportOperand,
    as elementType: ElementType? = nil
  ) throws(WeighbridgeError) -> ExportOperand {
    let shape = zip(x.type.shape, y.type.shape).map { $0.value == 1 ? $1 : $0 }
    return try binary(
      function, x, y, giving: TensorType(elementType ?? x.type.elementType, shape))
  }

  /// Combines all inputs from left to right.
  package mutating func chain(_ function: Function) throws(WeighbridgeError) -> ExportOperand {
    var result = self[0]
    for next in operands.dropFirst() { result = try binary(function, result, next) }
    return result
  }

  /// Takes one range along an axis.
  package mutating func sliced(
    _ x: ExportOperand, axis: Int, _ range: Range<Int>
  ) throws(WeighbridgeError) -> ExportOperand {
    var type = x.type
    type.shape[axis] = .fixed(range.count)
    let slice = Slice.Range(
      axis: axis, start: range.lowerBound, stop: range.upperBound, step: 1)
    return try sliced(x, [slice], as: type)
  }
}
