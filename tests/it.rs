#[test] fn a(){}
