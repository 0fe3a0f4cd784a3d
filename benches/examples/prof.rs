use std::path::Path;
use zarrs_interop::n5::{DimensionOrder, RegionReader};
use zarrs_interop_benches::{codecs::Compressor, data::*, datasets::*, clock::time};
fn run<T: bytemuck::Pod + zarrs::array::Element>(path:&Path, order:DimensionOrder, n:usize){
  let array=open_n5(path).unwrap(); let all=array.subset_all();
  let r=RegionReader::new(&array).unwrap().with_dimension_order(order).with_concurrency(1);
  let mut out=r.read::<T>(&all).unwrap();
  let mut best=f64::MAX;
  for _ in 0..n { let (_,s)=time(|| r.read_into(&all,&mut out).unwrap()); best=best.min(s.cpu); }
  println!("{:.0} MB/s", (out.len()*size_of::<T>()) as f64/best/1e6);
}
fn main(){
  let a:Vec<String>=std::env::args().skip(1).collect();
  let e=Element::from_name(&a[0]).unwrap(); let c=if a[1]=="raw"{Compressor::Raw}else{Compressor::Gzip};
  let o=if a[2]=="zyx"{DimensionOrder::Reversed}else{DimensionOrder::AsStored};
  let n:usize=a[3].parse().unwrap();
  let p=format!("/tmp/prof_{}_{}",a[0],a[1]); let p=Path::new(&p);
  if !p.exists(){ write_n5(p,&Volume::new(e,[250;3]),[64;3],Edges::Truncated,c).unwrap(); }
  match e {Element::U8=>run::<u8>(p,o,n),Element::U16=>run::<u16>(p,o,n),Element::F32=>run::<f32>(p,o,n),Element::U64=>run::<u64>(p,o,n)}
}
